import { type Check, type CheckContext, withScope } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import { optionInvalid } from '../../core/options/errors.js';
import { attempt } from '../../core/runtime.js';
import { lastPart } from '../../core/scrub/printable.js';
import { call, hasMethods, isObject, named, property } from '../client.js';
import { clientUnsupported } from '../errors.js';
import { inFlight } from '../flight.js';
import { maxBackoff, minBackoff } from '../pools/lending.js';
import { judge, milliseconds, type Thresholds, thresholdsIn, type TimeThresholds } from '../thresholds.js';
import { healthCheck, readStatus, writeRequest } from './health-protocol.js';
import { grpcReason } from './reasons.js';

/** A @grpc/grpc-js client, such as every generated one. */
export interface GrpcClient {
  makeUnaryRequest(...given: never): { cancel(): void };
  getChannel(): { getTarget(): string };
  close(): void;
}

/** A server to connect to, with your own `@grpc/grpc-js`: `import * as grpc from '@grpc/grpc-js'`. */
export interface GrpcTarget<Credentials> {
  readonly grpc: {
    readonly Client: new (
      address: string,
      credentials: Credentials,
      options: { readonly 'grpc.use_local_subchannel_pool': 1 },
    ) => GrpcClient;
    readonly credentials: { createInsecure(): Credentials };
  };
  /** Such as `hero:50051`. */
  readonly address: string;
  /** Default: without TLS. */
  readonly credentials?: Credentials;
}

const isClient = (value: unknown): value is GrpcClient => hasMethods(value, 'makeUnaryRequest', 'getChannel');

function isTarget<Credentials>(value: GrpcTarget<Credentials>): boolean {
  const library = property(value, 'grpc');
  const address = property(value, 'address');
  return (
    typeof property(library, 'Client') === 'function' &&
    isObject(property(library, 'credentials')) &&
    typeof address === 'string' &&
    address !== ''
  );
}

/** Options of `checks.grpc`; `warn` and `error` are milliseconds until the answer. */
export interface GrpcOptions extends TimeThresholds {
  /** The full name of the service to check. Default: the server as a whole. */
  readonly service?: string;
}

/**
 * A check of a gRPC server over the standard health protocol, `grpc.health.v1`: `health.E026` when it does not
 * serve, or is slow. Over your own client, or over a connection that is closed after each run.
 *
 * @example health.check('hero', checks.grpc(heroClient, { service: 'hero.HeroService' }));
 * @example health.check('hero', checks.grpc({ grpc, address: 'hero:50051' }));
 */
export function grpc<Credentials>(
  target: GrpcClient | GrpcTarget<Credentials>,
  options: GrpcOptions = {},
): Check {
  if (!isClient(target) && !isTarget(target)) {
    throw clientUnsupported('grpc', target, ['a @grpc/grpc-js client', '{ grpc, address, credentials }']);
  }
  const thresholds = thresholdsIn('grpc', options, ['service']);
  const { service = '' } = options;
  if (typeof service !== 'string') {
    const fix = "Write { service: 'package.Service' }, or omit it.";
    throw optionInvalid('Option service of checks.grpc', service, 'the full name of a service', fix);
  }
  const check = named('grpc', grpcServes(target, service, thresholds));
  return withScope(check, 'shared');
}

/** The code of `checks.grpc`, loaded when the check is created. */
function grpcServes<Credentials>(
  target: GrpcClient | GrpcTarget<Credentials>,
  service: string,
  thresholds: Thresholds,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const open = opener(target);
  const asked = inFlight(async ({ signal }) => {
    const { client, name, close } = open();
    const who = service === '' ? `gRPC server ${name}` : `gRPC service ${service} of ${name}`;
    const started = performance.now();
    try {
      const status = await callHealthCheck(client, service, signal);
      return { who, status, took: performance.now() - started };
    } catch (thrown) {
      return { who, thrown };
    } finally {
      close(signal.aborted);
    }
  });
  return async (context) => {
    const { who, ...outcome } = await asked(context);
    if ('thrown' in outcome) {
      const { text, hint } = grpcReason(outcome.thrown);
      return [new ErrorMessage(`Request to ${who} failed: ${text}`, { id: messageIds.grpc, hint })];
    }
    const { status, took } = outcome;
    if (status !== 'SERVING') {
      const text =
        status === undefined ? 'sent a response that is not part of the health protocol' : `is ${status}`;
      const hint = 'The server reports this itself through grpc.health.v1: see its log.';
      return [new ErrorMessage(`${who} ${text}`, { id: messageIds.grpc, hint })];
    }
    const slow = (threshold: number) =>
      `${who} answered after ${milliseconds(took)}, above ${milliseconds(threshold)}`;
    return judge(took, thresholds, messageIds.grpc, slow);
  };
}

interface Opened {
  readonly client: object;
  /** The address of the server. */
  readonly name: string;
  /** After a run; whether it had no answer. */
  readonly close: (isHung: boolean) => void;
}

function opener<Credentials>(target: GrpcClient | GrpcTarget<Credentials>): () => Opened {
  if (isClient(target)) return () => ({ client: target, name: nameOf(target), close: () => {} });
  const { grpc: library, address, credentials = library.credentials.createInsecure() } = target;
  // A pool of its own: in the one of the process an earlier failure delays the next attempt by up to two minutes.
  const make = () => new library.Client(address, credentials, { 'grpc.use_local_subchannel_pool': 1 });
  const name = shortName(address);
  // grpc-js never ends an attempt to connect that gets no answer: the next runs wait for it, too. See lending.ts.
  let hung: { readonly client: GrpcClient; readonly runs: number } | undefined;
  let backoff = minBackoff;
  return () => {
    const kept = hung;
    hung = undefined;
    const isKept = kept !== undefined && kept.runs < backoff;
    if (kept !== undefined && !isKept) {
      kept.client.close();
      backoff = Math.min(backoff * 2, maxBackoff);
    }
    const client = isKept ? kept.client : make();
    const runs = isKept ? kept.runs + 1 : 1;
    const close = (isHung: boolean) => {
      if (isHung) {
        hung = { client, runs };
        return;
      }
      backoff = minBackoff;
      client.close();
    };
    return { client, name, close };
  };
}

function callHealthCheck(client: object, service: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const answer = (error: unknown, status: string | undefined) => {
      signal.removeEventListener('abort', giveUp);
      if (error === null || error === undefined) resolve(status);
      else reject(error);
    };
    // A client that the application has closed throws here.
    const request = call(client, 'makeUnaryRequest', healthCheck, writeRequest, readStatus, service, answer);
    const giveUp = () => {
      reject(signal.reason);
      attempt(() => call(request, 'cancel'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

function nameOf(client: GrpcClient): string {
  const target: unknown = call(call(client, 'getChannel'), 'getTarget');
  return typeof target === 'string' ? shortName(target) : 'unknown';
}

/** The address without its scheme; of a socket in the file system only the name, because folders are private. */
function shortName(address: string): string {
  if (address.startsWith('unix:')) return `unix:${lastPart(address)}`;
  return address.replace(/^dns:(\/\/[^/]*\/)?/, '');
}
