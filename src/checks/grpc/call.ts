import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import { lastPart } from '../../core/scrub/folders.js';
import { attempt } from '../../core/runtime.js';
import { call } from '../client.js';
import { inFlight } from '../flight.js';
import { maxBackoff, minBackoff } from '../pools/lending.js';
import { judge, milliseconds, type Thresholds } from '../thresholds.js';
import { type GrpcClient, type GrpcTarget, isClient } from './shapes.js';
import { healthCheck, readStatus, writeRequest } from './health-protocol.js';
import { grpcReason } from './reasons.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

const ids = messageIds.grpc;

/** The code of `checks.grpc`, loaded when the check is created. */
export function grpcServes<Credentials>(
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
      return [new ErrorMessage(`Request to ${who} failed: ${text}`, { id: ids.error, hint })];
    }
    const { status, took } = outcome;
    if (status !== 'SERVING') {
      const text =
        status === undefined ? 'sent a response that is not part of the health protocol' : `is ${status}`;
      const hint = 'The server reports this itself through grpc.health.v1: see its log.';
      return [new ErrorMessage(`${who} ${text}`, { id: ids.error, hint })];
    }
    const slow = (threshold: number) =>
      `${who} answered after ${milliseconds(took)}, above ${milliseconds(threshold)}`;
    return judge(took, thresholds, ids, slow);
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
