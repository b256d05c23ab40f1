import { type Answer, json, type Route } from '../core/endpoints.js';
import { type Feature, type FeatureHost, loadOnce } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import { loop } from '../core/loop.js';
import { peerPath, type ResolvedProbes } from '../core/options/features.js';
import type * as Code from './index.js';
import type { Probe } from './state.js';

const answerBroken: Answer = json(500, '{"status":"fail","reason":"the probes failed"}');

/** The feature of the probes: answers their paths, and has the rest loaded from the start. */
export function probesFeature<Request>(
  host: FeatureHost<Request>,
  options: ResolvedProbes,
): Feature<Request> {
  let probes: Code.Probes | undefined;
  /** The last heartbeat that came while they were loaded. */
  let before: Heartbeat | undefined;
  let saidStarted = false;
  /** Whether a request has come, to whichever path of ours. */
  let asked = false;
  let closed = false;

  const open = loadOnce(async (): Promise<Code.Probes> => {
    const { Probes } = await import('./index.js');
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
  });
  const failed = (thrown: unknown): Answer => {
    host.onError('The probes failed', thrown);
    return answerBroken;
  };
  const ask = (answer: (opened: Code.Probes) => Answer | Promise<Answer>): Answer | Promise<Answer> =>
    probes === undefined ? open().then(answer).catch(failed) : answer(probes);

  const feature = {
    routes: routesOf<Request>(options, {
      probe(probe, request, target) {
        asked = true;
        const details = host.showsDetails(request);
        return ask((opened) => opened.answer(probe, details, isVerbose(target)));
      },
      peer: (request, target) =>
        open()
          .then((opened) => opened.answerPeer(target, host.showsDetails(request)))
          .catch(failed),
    }),
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

/** The paths of the options, and that of peers if there are any. */
function routesOf<Request>(
  { live, ready, started, peers }: ResolvedProbes,
  answer: {
    probe(probe: Probe, request: Request, target: string): Answer | Promise<Answer>;
    peer(request: Request, target: string): Promise<Answer>;
  },
): readonly Route<Request>[] {
  const routes = (probe: Probe, paths: readonly string[]): Route<Request>[] =>
    paths.map((path) => ({
      path,
      name: `probes.${probe}`,
      answer: (request, _method, target) => answer.probe(probe, request, target),
    }));
  const peer: Route<Request> = {
    path: peerPath,
    name: 'probes.peers',
    answer: (request, _method, target) => answer.peer(request, target),
  };
  return [
    ...routes('live', live),
    ...routes('ready', ready),
    ...routes('started', started),
    ...(peers.length > 0 ? [peer] : []),
  ];
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
