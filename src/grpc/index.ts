import { groupPath } from '../core/endpoints.js';
import type { Engine } from '../core/engine.js';
import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import { isPromise } from '../core/guard.js';
import { appInvalid } from '../core/options/errors.js';
import { outsideRequest } from '../core/request/request.js';

/** The part of a call of @grpc/grpc-js that is used. */
interface Call {
  readonly request: { readonly service: string };
}
interface Watch extends Call {
  write(status: number): unknown;
  on(event: 'cancelled' | 'close' | 'error', listener: () => void): unknown;
}
type Done = (error: { code: number; details: string } | null, status?: number) => void;

// The values of ServingStatus in grpc.health.v1.
const serving = 1;
const notServing = 2;
const serviceUnknown = 3;
/** The code of gRPC for a service that a Check does not know. */
const notFound = 5;
/** Milliseconds between two looks at a status that is watched. */
const lookEvery = 1000;

/** A method as @grpc/grpc-js describes it. The messages have one field each, so no .proto file is needed. */
const method = <Streams extends boolean>(name: string, responseStream: Streams) => ({
  path: `/grpc.health.v1.Health/${name}`,
  requestStream: false as const,
  responseStream,
  // Fields that only a client needs are left out.
  requestSerialize: (): Buffer => Buffer.alloc(0),
  // An object and not the text: grpc-js takes an empty text for a missing request.
  requestDeserialize: (bytes: Buffer) => ({ service: serviceOf(bytes) }),
  responseSerialize: (status: number): Buffer => Buffer.from([0x08, status]),
  responseDeserialize: (bytes: Buffer): number => bytes[1] ?? 0,
});

const definition = { Check: method('Check', false), Watch: method('Watch', true) };

/** The text in `HealthCheckRequest { string service = 1; }`. */
function serviceOf(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  // A name of up to 127 bytes; a longer one is not a service of ours.
  const [tag, length = 0] = bytes;
  return tag === 0x0a && length < 0x80 ? bytes.toString('utf8', 2, 2 + length) : '?';
}

/** The handlers of the calls. A type and no interface, because grpc-js takes an object with any names. */
export type GrpcHealthCalls = {
  readonly Check: (call: Call, reply: Done) => void;
  readonly Watch: (call: Watch) => void;
};

/**
 * The service `grpc.health.v1.Health` for a server of @grpc/grpc-js. The empty service is this instance: `/readyz` with the probes, else
 * `/__lbheartbeat__`. `liveness`, `readiness` and `startup` are the probes, and each group of checks is a service of its name.
 *
 * @example server.addService(...grpcHealth(health));
 */
export function grpcHealth(
  health: HealthCore<never>,
): [definition: typeof definition, calls: GrpcHealthCalls] {
  if (!isHealth(health)) throw appInvalid('a Health', health, 'server.addService(...grpcHealth(health))');
  const engine = engineOf(health);
  const servingStatus = statusesOf(engine);
  const watched = new Map<string, { status: number | undefined; readonly calls: Set<Watch> }>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const failed = (thrown: unknown) => engine.logError('The gRPC health service failed', thrown);
  // The calls are not ours: one that throws must not end the process, nor keep the status from the others.
  const send = (call: Watch, status: number) => {
    try {
      call.write(status);
    } catch (thrown) {
      failed(thrown);
    }
  };
  const look = () => {
    for (const [service, state] of watched) {
      servingStatus(service)
        .then((status) => {
          if (state.status === status) return;
          state.status = status;
          for (const call of state.calls) send(call, status);
        })
        .catch(failed);
    }
  };
  const stop = () => clearInterval(timer);
  // Watching clients learn of draining at once.
  engine.addFeature({ onLeave: look, onVerdict: look, close: stop });

  return [
    definition,
    {
      Check: ({ request: { service } }, reply) =>
        void servingStatus(service)
          .then((status) =>
            status === serviceUnknown
              ? reply({ code: notFound, details: `Unknown service ${JSON.stringify(service)}` })
              : reply(null, status),
          )
          .catch(failed),
      Watch(call) {
        const { service } = call.request;
        const state = watched.get(service) ?? { status: undefined, calls: new Set<Watch>() };
        watched.set(service, state);
        state.calls.add(call);
        const leave = () => {
          state.calls.delete(call);
          if (state.calls.size === 0) watched.delete(service);
          if (watched.size === 0) stop();
        };
        call.on('cancelled', leave);
        call.on('close', leave);
        call.on('error', leave);
        if (state.status !== undefined) send(call, state.status);
        outsideRequest(() => {
          stop();
          timer = setInterval(look, lookEvery).unref();
          if (state.status === undefined) look();
        });
      },
    },
  ];
}

/** Derives the status of a service from the response of the same endpoint over HTTP. */
function statusesOf(engine: Engine<never>): (service: string) => Promise<number> {
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
