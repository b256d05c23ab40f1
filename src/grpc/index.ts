import { type HealthCore, isHealth } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import { notFound, serviceUnknown, Statuses, unknownService } from './statuses.js';

export { connectHealth } from './connect.js';

/** The part of a call of @grpc/grpc-js that is used. */
interface Call {
  readonly request: { readonly service: string };
}
interface Watch extends Call {
  write(status: number): unknown;
  end(): unknown;
  on(event: 'cancelled' | 'close' | 'error', listener: () => void): unknown;
}
type Done = (error: { code: number; details: string } | null, status?: number) => void;

/** A method as @grpc/grpc-js describes it. The messages have one field each, so no .proto file is needed. */
const method = <Streams extends boolean>(name: string, responseStream: Streams) => ({
  path: `/grpc.health.v1.Health/${name}`,
  requestStream: false as const,
  responseStream,
  // Fields that only a client needs are left out.
  requestSerialize: (): Buffer => Buffer.alloc(0),
  // An object and not the text: grpc-js takes an empty text for a missing request.
  requestDeserialize: (bytes: Buffer) => ({ service: decodeService(bytes) }),
  responseSerialize: (status: number): Buffer => Buffer.from([0x08, status]),
  responseDeserialize: (bytes: Buffer): number => bytes[1] ?? 0,
});

const definition = { Check: method('Check', false), Watch: method('Watch', true) };

/** The text in `HealthCheckRequest { string service = 1; }`. */
function decodeService(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  // A name of up to 127 bytes; a longer one is not a service of ours.
  const [tag, length = 0] = bytes;
  return tag === 0x0a && length < 0x80 ? bytes.toString('utf8', 2, 2 + length) : '?';
}

/** The handlers of the calls. A type and no interface, because grpc-js accepts an object with any names. */
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
  const statuses = new Statuses(health);
  return [
    definition,
    {
      Check: ({ request: { service } }, reply) =>
        void statuses
          .read(service)
          .then((status) =>
            status === serviceUnknown
              ? reply({ code: notFound, details: unknownService(service) })
              : reply(null, status),
          )
          .catch((thrown: unknown) => health.logError('The gRPC health service failed', thrown)),
      Watch(call) {
        const leave = statuses.watch(call.request.service, {
          send: (status) => call.write(status),
          end: () => call.end(),
        });
        call.on('cancelled', leave);
        call.on('close', leave);
        call.on('error', leave);
      },
    },
  ];
}
