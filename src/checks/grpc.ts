import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { requireValue, type Rule } from '../core/options/rules.js';
import { attempt } from '../core/runtime.js';
import { lastPart } from '../core/scrub/printable.js';
import { call, hasMethods, named, property } from './client.js';
import { reasonOf } from './reasons.js';
import { clientUnsupported } from './recognise.js';
import { oneAtATime, orAborted } from './round-trip.js';
import { judgeTime, thresholdsIn, type TimeThresholds } from './thresholds.js';

/** A @grpc/grpc-js client, such as every generated one. */
export interface GrpcClient {
  makeUnaryRequest(...given: never): { cancel(): void };
  getChannel(): { getTarget(): string };
  close(): void;
}

/** Options of `checks.grpc`; `warn` and `error` are milliseconds until the answer. */
export interface GrpcOptions extends TimeThresholds {
  /** The full name of the service to check. Default: the server as a whole. */
  readonly service?: string;
}

const serviceName: Rule<string> = {
  expects: 'the full name of a service',
  accepts: (value) => typeof value === 'string',
};

/**
 * A check of a gRPC server over the standard health protocol, `grpc.health.v1`: `health.E026` when it does not
 * serve, or is slow. It uses your own client.
 *
 * @example health.check('hero', checks.grpc(heroClient, { service: 'hero.HeroService' }));
 */
export function grpc(client: GrpcClient, options: GrpcOptions = {}): Check {
  if (!hasMethods(client, 'makeUnaryRequest', 'getChannel'))
    throw clientUnsupported('grpc', client, ['a @grpc/grpc-js client']);
  const thresholds = thresholdsIn('grpc', options, ['service']);
  const fix = "Write { service: 'package.Service' }, or omit it.";
  const service = requireValue(options.service ?? '', serviceName, 'service of checks.grpc', fix);
  const request = oneAtATime((signal) => requestHealth(client, service, signal));
  const check = named<Check>('grpc', async ({ signal }) => {
    const address = addressOf(client);
    const who = service === '' ? `gRPC server ${address}` : `gRPC service ${service} of ${address}`;
    try {
      const { status, took } = await request(signal);
      if (status !== 'SERVING') {
        const text =
          status === undefined ? 'sent a response that is not part of the health protocol' : `is ${status}`;
        return error(`${who} ${text}`, 'The server reports this itself through grpc.health.v1: see its log.');
      }
      return judgeTime(took, thresholds, messageIds.grpc, `${who} answered after`);
    } catch (thrown) {
      const hint = 'Check that the server is up, and the address, TLS and credentials of the client.';
      return error(`Request to ${who} failed: ${grpcReason(thrown)}`, hint);
    }
  });
  return withScope(check, 'shared');
}

const error = (text: string, hint: string) => [new ErrorMessage(text, { id: messageIds.grpc, hint })];

/** The address of its server without the scheme; of a socket in the file system only the name, because folders are private. */
function addressOf(client: object): string {
  const target: unknown = attempt(() => call(call(client, 'getChannel'), 'getTarget'));
  if (typeof target !== 'string') return 'unknown';
  if (target.startsWith('unix:')) return `unix:${lastPart(target)}`;
  return target.replace(/^dns:(\/\/[^/]*\/)?/, '');
}

/** The status of a service, undefined if it is not one of the protocol, and the milliseconds that the answer took. */
async function requestHealth(client: object, service: string, signal: AbortSignal) {
  const started = performance.now();
  let request: unknown;
  const answer = new Promise<string | undefined>((resolve, reject) => {
    const done = (error: unknown, status: string | undefined) =>
      error === null || error === undefined ? resolve(status) : reject(error);
    const path = '/grpc.health.v1.Health/Check';
    // A client that the application has closed throws here.
    request = call(client, 'makeUnaryRequest', path, writeRequest, readStatus, service, done);
  });
  try {
    return { status: await orAborted(answer, signal), took: performance.now() - started };
  } finally {
    if (signal.aborted) attempt(() => call(request, 'cancel'));
  }
}

// The two messages of grpc.health.v1 as Protocol Buffers write them. They are this small, so no .proto file is needed.

/** `HealthCheckRequest { string service = 1; }`; an empty name stands for the server as a whole. */
function writeRequest(service: string): Buffer {
  const name = Buffer.from(service, 'utf8');
  return name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

const statuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

/** The name of the status in `HealthCheckResponse { ServingStatus status = 1; }`; the first one is not written. */
function readStatus(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return statuses[0];
  const [tag, status = -1] = bytes;
  return tag === 0x08 ? statuses[status] : undefined;
}

/** Status codes of gRPC with our own texts: the details are the server's text. */
const meanings: Readonly<Record<number, string>> = {
  4: 'no answer in time',
  5: 'the server does not know this service',
  7: 'the server rejected the call',
  12: 'the server has no health service',
  16: 'the server rejected the call',
};

const names =
  'OK,CANCELLED,UNKNOWN,INVALID_ARGUMENT,DEADLINE_EXCEEDED,NOT_FOUND,ALREADY_EXISTS,PERMISSION_DENIED,RESOURCE_EXHAUSTED,FAILED_PRECONDITION,ABORTED,OUT_OF_RANGE,UNIMPLEMENTED,INTERNAL,UNAVAILABLE,DATA_LOSS,UNAUTHENTICATED'.split(
    ',',
  );

/** Why there is no connection, from grpc-js' report of its last attempt. */
const causes: readonly (readonly [RegExp, string])[] = [
  [/certificate|altnames|ERR_TLS_CERT/i, "the server's certificate is not trusted"],
  [/wrong version number|SSL routines|handshake/i, 'the client uses TLS and the server does not'],
  [/name resolution failed/i, 'the host name cannot be resolved'],
  [/protocol error/i, 'the server there does not speak gRPC'],
  [/failed to connect/i, 'the connection was closed while it was being opened'],
];

/** Why a call failed, without the server's text. */
function grpcReason(thrown: unknown): string {
  const code = property(thrown, 'code');
  // A DOMException, as signals have them, has a number too.
  if (typeof code !== 'number' || property(thrown, 'details') === undefined) {
    return /shut ?down/i.test(String(property(thrown, 'message')))
      ? 'the application closed its client'
      : reasonOf(thrown).text;
  }
  const name = names[code] ?? `status ${code}`;
  if (code !== 14) return `${meanings[code] ?? 'the call failed'} (${name})`;
  const details = String(property(thrown, 'details'));
  const cause = causes.find(([pattern]) => pattern.test(details));
  if (cause !== undefined) return cause[1];
  const system = /\b(?:E[A-Z]{4,}|ERR_[A-Z_]+)\b/.exec(details)?.[0];
  return system === undefined ? `no connection (${name})` : reasonOf({ code: system }).text;
}
