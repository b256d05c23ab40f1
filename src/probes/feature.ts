import { type Answer, json, type Route } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { loop } from '../core/loop.js';
import { peerPath, type ResolvedProbes } from '../core/options/probes.js';
import { outsideRequest } from '../core/request/request.js';
import type { Probes } from './index.js';
import type { Probe } from './state.js';

const answerBroken: Answer = json(500, '{"status":"fail","reason":"the probes failed"}');

/** The feature of the probes: answers their paths, and has the rest loaded from the start. */
export function probesFeature<Request>(
  host: FeatureHost<Request>,
  options: ResolvedProbes,
): Feature<Request> {
  let loading: Promise<Probes> | undefined;
  let probes: Probes | undefined;
  /** The last heartbeat that came while they were loaded. */
  let before: Heartbeat | undefined;
  let saidStarted = false;
  /** Whether a request has come, to whichever path of ours. */
  let asked = false;
  let closed = false;

  /** Outside of the first request: Deno treats code that is loaded in a request as part of it forever. */
  const open = (): Promise<Probes> => {
    loading ??= new Promise<Probes>((resolve, reject) => {
      outsideRequest(() => {
        import('./index.js').then(begin).then(resolve, reject);
      });
    });
    loading.catch(() => (loading = undefined));
    return loading;
  };
  const begin = ({ Probes }: { readonly Probes: typeof import('./index.js').Probes }): Probes => {
    probes = new Probes({
      ...host,
      options,
      publicMessages: host.options.publicMessages,
      saidStarted: () => saidStarted,
      // Unless it came to our own port.
      wasAsked: host.options.healthPort === undefined ? () => asked : undefined,
    });
    if (closed) probes.close();
    else if (before !== undefined) probes.onHeartbeat(before);
    before = undefined;
    return probes;
  };
  const failed = (thrown: unknown): Answer => {
    host.onError('The probes failed', thrown);
    return answerBroken;
  };
  const route = (path: string, probe: Probe): Route<Request> => ({
    path,
    name: `probes.${probe}`,
    answer(request, _method, target) {
      asked = true;
      const details = host.showsDetails(request);
      const verbose = isVerbose(target);
      if (probes !== undefined) return probes.answer(probe, details, verbose);
      return open()
        .then((opened) => opened.answer(probe, details, verbose))
        .catch(failed);
    },
  });
  const peerRoute: Route<Request> = {
    path: peerPath,
    name: 'probes.peers',
    answer: (request, _method, target) =>
      open()
        .then((opened) => opened.answerPeer(target, host.showsDetails(request)))
        .catch(failed),
  };

  const feature = {
    routes: [
      ...options.live.map((path) => route(path, 'live')),
      ...options.ready.map((path) => route(path, 'ready')),
      ...options.started.map((path) => route(path, 'started')),
      ...(options.peers.length > 0 ? [peerRoute] : []),
    ],
    onHeartbeat(heartbeat: Heartbeat) {
      if (probes === undefined) before = heartbeat;
      else probes.onHeartbeat(heartbeat);
    },
    onLeave: () => void probes?.poll(),
    onStarted() {
      saidStarted = true;
      probes?.poll();
    },
    verdictOf: (check: string) => probes?.verdictOf(check),
    /** The watchdog has received a probe. */
    renew: () => probes?.renew(),
    close() {
      closed = true;
      loop.probed.delete(onProbed);
      probes?.close();
    },
  };
  const onProbed = renewing(feature);
  loop.probed.add(onProbed);
  collected.register(feature, onProbed);
  open().catch(() => {});
  return feature;
}

/** The watchdog belongs to the process: it must not keep a Health whose application has ended. */
const collected = new FinalizationRegistry<() => void>((onProbed) => loop.probed.delete(onProbed));

/** A function of its own: one that is made inside of the feature keeps all of it. */
function renewing(feature: { renew(): void }): () => void {
  const held = new WeakRef(feature);
  return () => held.deref()?.renew();
}

/** `?verbose`, as Kubernetes has it: whatever its value. */
function isVerbose(target: string): boolean {
  const query = target.indexOf('?');
  return query !== -1 && new URLSearchParams(target.slice(query + 1)).has('verbose');
}
