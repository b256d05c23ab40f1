import { clientUnsupported, optionInvalid } from '../../core/options/errors.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { Check } from '../../core/heartbeat/check.js';
import { lastPart } from '../../core/scrub/folders.js';
import { call, hasMethods, isObject, property } from '../client.js';
import { inFlight } from '../flight.js';
import { longest, shortest } from '../pools/lending.js';
import { grpcReason } from './reasons.js';
import { healthCheck, readStatus, writeRequest } from './health-protocol.js';
import { named } from '../named.js';
import { judge, milliseconds, requireThresholds, type Thresholds } from '../thresholds.js';

/** A client of @grpc/grpc-js: every generated one is. */
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

/** Options of `checks.grpc`; `warn` and `error` are milliseconds until the answer. */
export interface GrpcOptions extends Thresholds {
  /** The service that is asked for, by its full name. Default: the server as a whole. */
  readonly service?: string;
}

const ids = { warn: 'health.W011', error: 'health.E026' };

/**
 * A check on a gRPC server over the standard health protocol, `grpc.health.v1`: Error `health.E026` when it does not
 * serve, `health.W011` when slow. Over your own client, or over a connection that is closed after each run.
 *
 * @example health.check('hero', checks.grpc(heroClient, { service: 'hero.HeroService' }));
 * @example health.check('hero', checks.grpc({ grpc, address: 'hero:50051' }));
 */
export function grpc<Credentials>(
  target: GrpcClient | GrpcTarget<Credentials>,
  options: GrpcOptions = {},
): Check {
  const open = opener(target);
  const thresholds = requireThresholds('grpc', options);
  const { service = '' } = options;
  if (typeof service !== 'string') {
    const mend = "Write { service: 'package.Service' } or leave it out.";
    throw optionInvalid('Option service of checks.grpc', service, 'the full name of a service', mend);
  }
  const asked = inFlight(async ({ signal }) => {
    const { client, name, close } = open();
    const who = service === '' ? `gRPC server ${name}` : `gRPC service ${service} of ${name}`;
    const started = performance.now();
    try {
      const status = await ask(client, service, signal);
      return { who, status, took: performance.now() - started };
    } catch (thrown) {
      return { who, thrown };
    } finally {
      close(signal.aborted);
    }
  });
  return named('grpc', async (context): Promise<readonly CheckMessage[]> => {
    const { who, ...outcome } = await asked(context);
    if ('thrown' in outcome) {
      const { text, hint } = grpcReason(outcome.thrown);
      return [new ErrorMessage(`No good answer from ${who}: ${text}`, { id: ids.error, hint })];
    }
    const { status, took } = outcome;
    if (status !== 'SERVING') {
      const text =
        status === undefined ? 'gave an answer that is not of the health protocol' : `is ${status}`;
      const hint = 'The server tells this itself, by the protocol grpc.health.v1: look at its log.';
      return [new ErrorMessage(`${who} ${text}`, { id: ids.error, hint })];
    }
    const slow = (threshold: number) =>
      `${who} answered after ${milliseconds(took)}, over ${milliseconds(threshold)}`;
    return judge(took, thresholds, ids, slow);
  });
}

interface Opened {
  readonly client: object;
  /** Where the server is. */
  readonly name: string;
  /** After a run; whether it had no answer. */
  readonly close: (isHung: boolean) => void;
}

function opener<Credentials>(target: GrpcClient | GrpcTarget<Credentials>): () => Opened {
  if (isClient(target)) return () => ({ client: target, name: nameOf(target), close: () => {} });
  if (!isTarget(target)) {
    throw clientUnsupported('grpc', target, ['a client of @grpc/grpc-js', '{ grpc, address, credentials }']);
  }
  const { grpc: library, address, credentials = library.credentials.createInsecure() } = target;
  // A pool of its own: in the one of the process an earlier failure delays the next attempt by up to two minutes.
  const make = () => new library.Client(address, credentials, { 'grpc.use_local_subchannel_pool': 1 });
  const name = shortName(address);
  // grpc-js never ends an attempt to connect that gets no answer: the next runs wait for it, too. See lending.ts.
  let hung: { readonly client: GrpcClient; readonly runs: number } | undefined;
  let patience = shortest;
  return () => {
    const kept = hung;
    hung = undefined;
    const isKept = kept !== undefined && kept.runs < patience;
    if (kept !== undefined && !isKept) {
      kept.client.close();
      patience = Math.min(patience * 2, longest);
    }
    const client = isKept ? kept.client : make();
    const runs = isKept ? kept.runs + 1 : 1;
    const close = (isHung: boolean) => {
      if (isHung) {
        hung = { client, runs };
        return;
      }
      patience = shortest;
      client.close();
    };
    return { client, name, close };
  };
}

function ask(client: object, service: string, signal: AbortSignal): Promise<string | undefined> {
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
      call(request, 'cancel');
    };
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

function nameOf(client: GrpcClient): string {
  const target: unknown = call(call(client, 'getChannel'), 'getTarget');
  return typeof target === 'string' ? shortName(target) : 'unknown';
}

/** The address without its scheme; of a socket in the file system only the name, for its folders are not for everybody. */
function shortName(address: string): string {
  if (address.startsWith('unix:')) return `unix:${lastPart(address)}`;
  return address.replace(/^dns:(\/\/[^/]*\/)?/, '');
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
