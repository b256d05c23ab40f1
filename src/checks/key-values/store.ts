import { within } from '../../core/time.js';
import { call, NotReady, OwnError, property } from '../client.js';
import { type Starter, timeToWait } from '../flight.js';
import { addListener, type Life, listen as listenTo, monitorErrors } from '../listening.js';
import { ignore } from '../pools/unserved.js';
import { type Connect, failureOfFresh } from '../second-opinion/fresh.js';

/** Emits an event when a connection is lost. */
export interface Emitter {
  listenerCount(event: string): number;
  on(event: string, listener: (error: unknown) => void): unknown;
  once(event: string, listener: () => void): unknown;
  removeListener(event: string, listener: () => void): unknown;
}

/** A key-value store's client, whichever it is. */
export interface KeyValueStore {
  /** Rejects at once if the client is offline and would only queue. */
  ping(starter: Starter): Promise<Pong>;
  /** How a second opinion asks outside of the client, if it can. */
  readonly connect?: Connect;
  /** The answer of every server that holds keys to `INFO memory`. */
  memory(): Promise<readonly string[]>;
}

/** `blocked` if the server answered another connection while the client waits in a blocking command. */
export type Pong = 'pong' | 'blocked';

/** The client itself says that it has no connection, or that its cluster is down; or the server answers something else. */
export class Unavailable extends OwnError {
  readonly why: 'unreachable' | 'missing' | 'down' | 'broken';

  constructor(why: Unavailable['why'], text: string) {
    super(text);
    this.why = why;
  }
}

const offline = (state: string): Unavailable =>
  new Unavailable('unreachable', `the client has no connection (${state})`);

export const closed = (): Unavailable =>
  new Unavailable('missing', 'the application has not opened the client, or has closed it');

const wrongReply = () => new Unavailable('broken', 'the reply was not a ping reply');

/** The answer to a ping is another one while the client subscribes to channels. */
export function pong(answer: unknown): Pong {
  if (/^pong,?$/i.test(String(answer))) return 'pong';
  throw wrongReply();
}

/** Asks one server for the state of its cluster: one that is down answers pings and refuses all else. A user who may not ask for it has to be content with a ping. */
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
  throw new Unavailable('down', `it accepts no commands, ${slots} of 16384 slots have a server`);
}

/** Asks one server of a cluster for all. One that still owes an answer is asked again only if every other does, too. */
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

/** The client has no connection and makes none: it could not connect, or the application closed it. */
export function ended(connect: Connect): (starter: Starter) => Promise<never> {
  const findCause = failureOfFresh(connect);
  return async (starter) => {
    const cause = await findCause(starter);
    throw cause === undefined ? closed() : new NotReady('the client is closed', { cause });
  };
}

/** The answer, or a rejection as soon as the connection goes: the client would keep the command for the next one. */
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
): (state: string, starter: Starter) => Promise<never> {
  let listens = false;
  let last: unknown;
  let notify = ignore;
  const failed = (error: unknown) => {
    last = error;
    notify();
  };
  // Only if the application listens for errors: ioredis emits none otherwise.
  const listen = () => {
    if (listens || client.listenerCount('error') === 0) return;
    listens = true;
    // Not as a listener, which would stay when that of the application or of the Health goes.
    monitorErrors(life, client, failed);
    // A cluster of node-redis reports its servers by another event, and none that is ready again by `ready`.
    listenTo(life, client, 'node-error', failed);
    for (const ready of ['node-ready', 'ready']) listenTo(life, client, ready, () => (last = undefined));
  };
  listen();
  return async (state, { signal }) => {
    listen();
    if (last === undefined && listens) {
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
