import { isMainThread } from 'node:worker_threads';
import { engineOf } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import type { Server } from '../http/drain/is-server.js';
import { drainInSteps } from '../http/drain/server.js';
import type { SteppedDrain } from '../http/drain/ending.js';
import { endBySignal, frameworkEnds } from '../http/drain/exit.js';
import { holdSignals, othersOn, type SignalHolder, stay } from '../http/drain/hold-signals.js';
import type { Health } from '../frameworks/node.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** The servers that are drained while they listen. */
const drains = new Map<Server, SteppedDrain>();
/** Servers that listen and wait for their Health. */
const pending = new Set<Promise<void>>();
const isIdle = (): boolean => drains.size === 0 && pending.size === 0;
let state: 'idle' | 'draining' | 'over' = 'idle';
let release: (() => void) | undefined;
let ending = '';
let log = (_msg: string): void => {};

/**
 * Drains a server before other code receives the signal: the handlers of the framework, and those of the application, are called
 * when nothing is left except responses that they must end. Only the main thread gets signals.
 */
export function drainFirst(server: Server, health: Health): void {
  if (!isMainThread || drains.has(server)) return;
  const drain = drainInSteps(health, { server, signals: [], exit: frameworkEnds }, () => ending);
  log = (msg) =>
    engineOf(health).log({ logger: 'health', level: levels.error, time: Date.now(), fields: {}, msg });
  if (isIdle()) arm();
  drains.set(server, drain);
  server.once('close', () => {
    if (state !== 'idle') return;
    drains.delete(server);
    drain.stop();
    if (isIdle()) disarm();
  });
}

/** A signal that comes while the connections of a server are held back waits until `ready`: they are answered, too. */
export function drainAfter(ready: Promise<void>): void {
  if (!isMainThread) return;
  if (isIdle()) arm();
  pending.add(ready);
  void ready.then(() => {
    pending.delete(ready);
    if (state === 'idle' && isIdle()) disarm();
  });
}

const holder: SignalHolder = {
  signals,
  drain(signal) {
    if (isIdle() || state === 'over') return undefined;
    state = 'draining';
    return drainAll(signal);
  },
  again: endBySignal,
};

function arm(): void {
  for (const signal of signals) process.on(signal, stay);
  release ??= holdSignals(holder);
}

function disarm(): void {
  for (const signal of signals) process.off(signal, stay);
  release?.();
  release = undefined;
}

async function drainAll(signal: NodeJS.Signals): Promise<void> {
  ending = othersOn(signal)
    ? `the application's handlers of ${signal} end the process`
    : `the process ends by ${signal}`;
  await Promise.all(pending);
  await Promise.all(Array.from(drains.values(), (drain) => drain.settle(signal)));
  if (!othersOn(signal)) {
    await allClosed();
    endBySignal(signal);
  }
  for (const server of drains.keys()) closeQuietly(server);
  state = 'over';
  // Code that raises the signal again does so when no other listener is left.
  disarm();
  void allClosed().then(() => endLater(signal));
}

async function allClosed(): Promise<void> {
  await Promise.all(Array.from(drains.values(), (drain) => drain.start()));
}

/** The process must end also if the application's handlers only clean up, or wait forever. */
function endLater(signal: NodeJS.Signals): void {
  const limit = Math.max(0, ...Array.from(drains.values(), (drain) => drain.timeLeft()));
  const end = () => {
    log(
      `The application's handlers of ${signal} did not end the process within ${limit} ms: it ends by ${signal}`,
    );
    endBySignal(signal);
  };
  if (drains.size > 0) setTimeout(end, limit).unref();
}

/** A framework that closes its server would get the error that it is not running: it is closed, as it wanted. */
function closeQuietly(server: Server): void {
  const close: unknown = Reflect.get(server, 'close');
  if (typeof close !== 'function') return;
  Reflect.set(server, 'close', (closed: unknown): unknown => {
    if (typeof closed === 'function') server.once('close', () => void closed());
    return Reflect.apply(close, server, []);
  });
}
