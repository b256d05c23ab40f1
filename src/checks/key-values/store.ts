import { within } from '../../core/time.js';
import { call, property } from '../client.js';
import { addListener, type Life, listen, monitorErrors } from '../listening.js';
import { ignore } from '../pools/abandoned.js';
import { Failure, notOpen, notReady } from '../reasons.js';
import { timeToWait } from '../round-trip.js';
import type { Connect } from '../second-opinion/fresh.js';

/** Emits an event when a connection is lost. */
export interface Emitter {
  listenerCount(event: string): number;
  on(event: string, listener: (error: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

export interface KeyValueStore {
  /** Rejects at once if the client is offline and would only queue. */
  ping(signal: AbortSignal): Promise<Pong>;
  /** How a second opinion queries outside of the client, if it can. */
  readonly connect?: Connect;
}

/** `blocked` if the server answered another connection while the client waits in a blocking command. */
export type Pong = 'pong' | 'blocked';

const offline = (state: string) => new Failure(`the client has no connection (${state})`, 'unreachable');

const wrongReply = () => new Failure('the reply was not a ping reply', 'broken');

/** The client has no connection and makes none. `cause`: why one like it fails; without one, the application closed it. */
export const ended = (cause: unknown): Error =>
  cause === undefined ? notOpen('client') : notReady('the client is closed', cause);

/** A client that subscribes to channels gets `pong,` instead of `PONG`. */
export function pong(reply: unknown): Pong {
  if (/^pong,?$/i.test(String(reply))) return 'pong';
  throw wrongReply();
}

/** Reads the state of the cluster from one server: one that is down answers pings and refuses all else. For a user who may not read it, a ping is enough. */
export async function askCluster(info: () => unknown, ping: () => Promise<unknown>): Promise<Pong> {
  let text: string;
  try {
    text = String(await info());
  } catch (thrown) {
    if (!/^NOPERM|unknown (sub)?command/i.test(String(property(thrown, 'message')))) throw thrown;
    return pong(await ping());
  }
  if (/cluster_state:ok/.test(text)) return 'pong';
  if (!/cluster_state:/.test(text)) throw wrongReply();
  const slots = /cluster_slots_ok:(\d+)/.exec(text)?.[1] ?? 'not all';
  throw new Failure(`it accepts no commands, ${slots} of 16384 slots have a server`, 'down');
}

/** Queries one server of a cluster for all. One that still owes an answer is queried again only if every other does, too. */
export function oneNodeAtATime<Node extends object>(): <T>(
  nodes: readonly Node[],
  query: (node: Node) => Promise<T>,
) => Promise<T> {
  const silent = new WeakSet<Node>();
  return async (nodes, query) => {
    const node = nodes.find((each) => !silent.has(each)) ?? nodes[0];
    if (node === undefined) throw offline('no server');
    silent.add(node);
    try {
      return await query(node);
    } finally {
      silent.delete(node);
    }
  };
}

/** The answer, or a rejection as soon as the connection is lost: the client would keep the command for the next one. */
export function unlessLost<T>(client: Emitter, events: readonly string[], answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(offline('lost during the ping'));
    const stops = events.map((event) => addListener(client, event, lost));
    void answer.then(resolve, reject).finally(() => {
      for (const stop of stops) stop();
    });
  });
}

/** Milliseconds in which a client that reconnects fails again, most of the time. */
const moment = 250;

/** Fails as a client that is offline did: with the last error that it emitted until it is ready again. The first failure waits for one for a moment. */
export function offlineSince(
  client: Emitter,
  life: Life,
): (state: string, signal: AbortSignal) => Promise<never> {
  let last: unknown;
  let notify = ignore;
  const failed = (error: unknown) => {
    last = error;
    notify();
  };
  monitorErrors(life, client, failed);
  // A cluster of node-redis emits these for its servers.
  listen(life, client, 'node-error', failed);
  for (const ready of ['node-ready', 'ready']) listen(life, client, ready, () => (last = undefined));
  return async (state, signal) => {
    // ioredis emits no error unless the application listens for them.
    if (last === undefined && client.listenerCount('error') > 0) {
      const next = new Promise<void>((resolve) => (notify = resolve));
      await within(next, Math.min(moment, timeToWait(signal, 0.5)), undefined);
    }
    throw last ?? offline(state);
  };
}

export async function connectAndPing(client: object): Promise<Pong> {
  await call(client, 'connect');
  return pong(await call(client, 'ping'));
}
