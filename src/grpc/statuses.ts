import { groupPath } from '../core/endpoints.js';
import type { Engine } from '../core/engine.js';
import { isPromise } from '../core/objects.js';

// The values of ServingStatus in grpc.health.v1.
const serving = 1;
const notServing = 2;
export const serviceUnknown = 3;
/** The code of gRPC for a service that a Check does not know. */
export const notFound = 5;

export const unknownService = (service: string): string => `Unknown service ${JSON.stringify(service)}`;

/** Derives the status of a service from the response of the same endpoint over HTTP. */
export function statusesOf(engine: Engine<never>): (service: string) => Promise<number> {
  const { probes, groups } = engine.options;
  const paths = new Map(Object.keys(groups).map((name) => [name, groupPath(name)]));
  paths.set('', probes?.ready[0] ?? '/__lbheartbeat__');
  const [liveness, readiness, startup] = [probes?.live[0], probes?.ready[0], probes?.started[0]];
  for (const [name, path] of Object.entries({ liveness, readiness, startup }))
    if (path !== undefined) paths.set(name, path);
  let leaving = false;
  engine.addFeature({ onLeave: () => (leaving = true) });
  return async (service) => {
    const path = paths.get(service);
    const route = path === undefined ? undefined : engine.matchAny(path);
    if (path === undefined || route === undefined) return serviceUnknown;
    // A process that leaves must not be restarted for it.
    if (leaving && service !== 'liveness') return notServing;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- there is no request over HTTP; `details` of the application is guarded
    const answer = engine.answer(route, 'GET', path, undefined as never);
    const { status } = isPromise(answer) ? await answer : answer;
    return status < 400 ? serving : notServing;
  };
}
