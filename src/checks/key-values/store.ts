import type { Connect } from '../second-opinion/fresh.js';
import { within } from '../../core/time.js';
import { deadlineOf } from '../../core/heartbeat/run.js';
import { call, NotReady, numberOf, OwnError, property, textOf } from '../client.js';
import { requireReachable, type Starter } from '../flight.js';
import { addListener, type Life, listen as listenTo, monitorErrors } from '../listening.js';

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
export function clusterState(info: unknown): Pong {
  const text = String(info);
  if (/cluster_state:ok/.test(text)) return 'pong';
  if (!/cluster_state:/.test(text)) return 'wrong';
  const slots = /cluster_slots_ok:(\d+)/.exec(text)?.[1] ?? 'not all';
  throw new Unavailable('down', `it accepts no commands, ${slots} of 16384 slots have a server`);
}

/** Asks one server of a cluster for all. One that still owes an answer is asked again only if every other does, too. */
export function oneNodeAtATime(): <T>(
  nodes: readonly object[],
  query: (node: object) => Promise<T>,
) => Promise<T> {
  const silent = new WeakSet<object>();
  return async (nodes, query) => {
    const node = nodes.find((each) => !silent.has(each)) ?? nodes[0] ?? {};
    silent.add(node);
    try {
      return await query(node);
    } finally {
      silent.delete(node);
    }
  };
}

/** Whether the user may not ask for the state of the cluster: a ping has to do then. */
export const isForbidden = (thrown: unknown): boolean =>
  /^NOPERM|unknown (sub)?command/i.test(String(property(thrown, 'message')));

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
    await requireReachable([{ host, port }], starter).catch((cause: unknown) => {
      throw new NotReady('the client is closed', { cause });
    });
  }
  throw closed();
}

/** The answer, or a rejection as soon as the connection goes: the client would keep the command for the next one. */
export function unlessLost<T>(client: Emitter, events: readonly string[], answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = () => reject(offline('lost during the ping'));
    const stops = events.map((event) => addListener(client, event, lost));
    const settle = (then: () => void) => {
      for (const stop of stops) stop();
      then();
    };
    answer.then(
      (value) => settle(() => resolve(value)),
      (thrown: unknown) => settle(() => reject(thrown)),
    );
  });
}

/** Why a client is offline. */
export interface Outage {
  readonly listen: () => void;
  /** The last error it emitted, forgotten when it is ready again. The first question waits for one for a moment. */
  reason(starter: Starter): Promise<unknown>;
}

/** Milliseconds in which a client that reconnects fails again, most of the time. */
const moment = 250;

/** Only if something listens for errors: ioredis emits none otherwise. */
export function outageOf(client: Emitter, life: Life): Outage {
  let listening = false;
  let last: unknown;
  let notify: (() => void) | undefined;
  const told = (error: unknown) => {
    last = error;
    notify?.();
  };
  const listen = () => {
    if (listening || client.listenerCount('error') === 0) return;
    listening = true;
    // Not as a listener, which would stay when that of the application or of the Health goes.
    monitorErrors(life, client, told);
    // A cluster of node-redis reports its servers by another event, and none that is ready again by `ready`.
    listenTo(life, client, 'node-error', told);
    listenTo(life, client, 'node-ready', () => {
      last = undefined;
    });
    listenTo(life, client, 'ready', () => {
      last = undefined;
    });
  };
  return {
    listen,
    async reason({ signal }) {
      listen();
      if (last !== undefined || !listening) return last;
      const next = new Promise<void>((resolve) => {
        notify = resolve;
      });
      await within(
        next,
        Math.max(0, Math.min(moment, (deadlineOf(signal) - performance.now()) / 2)),
        undefined,
      );
      return last;
    },
  };
}

export async function connectAndPing(client: object): Promise<void> {
  await call(client, 'connect');
  if (pong(await call(client, 'ping')) !== 'pong') throw new OwnError('the reply was not a ping reply');
}
