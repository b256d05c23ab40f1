import { within } from '../../core/time.js';
import { call, NotReady, numberOf, OwnError, property, textOf } from '../client.js';
import { failureToReach, orAborted, type Starter, timeToWait } from '../flight.js';
import { addListener, type Life, listen as listenTo, monitorErrors } from '../listening.js';
import { ignore } from '../pools/lending.js';
import type { Connect, FreshConnection } from '../second-opinion/fresh.js';

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
  /** Listens for the reason of an outage from now on, if the application listens too. */
  readonly listen?: () => void;
  /** How a second opinion asks outside of the client, if it can. */
  readonly connect?: Connect;
  /** The answer of every server that holds keys to `INFO memory`. */
  memory(): Promise<readonly string[]>;
}

/** Whether the answer was the right one; `blocked` if the server answered another connection while the client waits in a blocking command. */
export type Pong = 'pong' | 'wrong' | 'blocked';

/** The answer to a ping is another one while the client subscribes to channels. */
export function pong(answer: unknown): Pong {
  return /^pong,?$/i.test(String(answer)) ? 'pong' : 'wrong';
}

/** Reads the answer to `CLUSTER INFO`: a cluster that is down answers pings and refuses all else. */
function clusterState(info: unknown): Pong {
  const text = String(info);
  if (/cluster_state:ok/.test(text)) return 'pong';
  if (!/cluster_state:/.test(text)) return 'wrong';
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

/** Asks one server for the state of its cluster. A user who may not ask for it has to be content with a ping. */
export async function askCluster(info: () => unknown, ping: () => Promise<unknown>): Promise<Pong> {
  try {
    return clusterState(await info());
  } catch (thrown) {
    if (!/^NOPERM|unknown (sub)?command/i.test(String(property(thrown, 'message')))) throw thrown;
    return pong(await ping());
  }
}

/** The client itself says that it has no connection, or that its cluster is down: nothing was sent. */
export class Unavailable extends Error {
  readonly why: 'unreachable' | 'missing' | 'down';

  constructor(why: Unavailable['why'], text: string) {
    super(text);
    this.why = why;
  }
}

export const offline = (state: string): Unavailable =>
  new Unavailable('unreachable', `the client has no connection (${state})`);

export const closed = (): Unavailable =>
  new Unavailable('missing', 'the application has not opened the client, or has closed it');

/** The client has no connection and makes none: it could not connect, or the application closed it. `address` is where it connects, if it is one server. */
export async function ended(address: unknown, starter: Starter): Promise<never> {
  const host = textOf(property(address, 'host'));
  const port = numberOf(address, 'port');
  if (host !== undefined && port !== undefined) {
    const cause = await failureToReach([{ host, port }], starter);
    if (cause !== undefined) throw new NotReady('the client is closed', { cause });
  }
  throw closed();
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

/** Whether a server answers over a connection of its own, which is closed again, while a client owes its `own` answer. */
export async function orBlocked(
  own: Promise<Pong> | undefined,
  connection: FreshConnection,
  { signal }: Starter,
): Promise<Pong> {
  const other = connection.answered.then((): Pong => 'blocked');
  try {
    return await orAborted(own === undefined ? other : Promise.race([own, other]), signal);
  } finally {
    other.catch(ignore);
    void connection.close();
  }
}

/** Milliseconds in which a client that reconnects fails again, most of the time. */
const moment = 250;

/** Why a client is offline: the last error it emitted, until it is ready again. */
export class Outage {
  readonly #client: Emitter;
  readonly #life: Life;
  #listens = false;
  #last: unknown;
  #notify = ignore;

  constructor(client: Emitter, life: Life) {
    this.#client = client;
    this.#life = life;
  }

  /** Only if the application listens for errors: ioredis emits none otherwise. */
  readonly listen = (): void => {
    if (this.#listens || this.#client.listenerCount('error') === 0) return;
    this.#listens = true;
    const failed = (error: unknown) => {
      this.#last = error;
      this.#notify();
    };
    // Not as a listener, which would stay when that of the application or of the Health goes.
    monitorErrors(this.#life, this.#client, failed);
    // A cluster of node-redis reports its servers by another event, and none that is ready again by `ready`.
    listenTo(this.#life, this.#client, 'node-error', failed);
    for (const ready of ['node-ready', 'ready'])
      listenTo(this.#life, this.#client, ready, () => (this.#last = undefined));
  };

  /** The error; the first question waits for one for a moment. */
  async error({ signal }: Starter): Promise<unknown> {
    this.listen();
    if (this.#last === undefined && this.#listens) {
      const next = new Promise<void>((resolve) => (this.#notify = resolve));
      await within(next, Math.min(moment, timeToWait(signal, 0.5)), undefined);
    }
    return this.#last;
  }
}

export async function connectAndPing(client: object): Promise<void> {
  await call(client, 'connect');
  if (pong(await call(client, 'ping')) !== 'pong') throw new OwnError('the reply was not a ping reply');
}
