import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { timeout } from '../core/options/rules.js';
import { ownListeners } from '../core/shared.js';
import { type Drain, drainOnSignals } from '../http/drain/drain.js';
import type { Server } from '../http/drain/connections.js';
import type { Health } from '../frameworks/node.js';
import { setting } from './mistakes.js';

const signals = ['SIGTERM', 'SIGINT'] as const;
type Signal = (typeof signals)[number];

/** The servers that are drained while they listen. */
const drains = new Map<Server, Drain>();
/** Servers that listen and wait for their Health. */
const pending = new Set<Promise<void>>();
const isIdle = (): boolean => drains.size === 0 && pending.size === 0;
let state: 'idle' | 'draining' | 'over' = 'idle';

/**
 * Drains a server before anybody else hears of the signal: the handlers of the framework, and those of the application, are called
 * when no request is left. Only the main thread gets signals.
 */
export function drainFirst(server: Server, health: Health): void {
  if (!isMainThread || drains.has(server)) return;
  const drain = drainOnSignals(server, health, { signals: [], exit: () => {} });
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

/** Keeps the process alive at a signal that nobody else handles. */
const stay = (): void => {};
ownListeners.add(stay);

let intercepted = false;

function arm(): void {
  if (!intercepted) intercept();
  for (const signal of signals) process.on(signal, stay);
}

function disarm(): void {
  for (const signal of signals) process.off(signal, stay);
}

/** Node calls `process.emit` for a signal: that is the one place before every listener, also those that are added first later. */
function intercept(): void {
  intercepted = true;
  const original: unknown = Reflect.get(process, 'emit');
  if (typeof original !== 'function') return;
  const emit = (args: readonly unknown[]): boolean => Reflect.apply(original, process, args);
  Reflect.set(process, 'emit', (...args: readonly unknown[]): boolean => {
    const [event] = args;
    if (!isSignal(event) || isIdle() || state === 'over') return emit(args);
    if (state === 'draining') process.exit(128 + constants.signals[event]);
    state = 'draining';
    void drainAll(event).then((code) => handOver(event, code, () => emit(args)));
    return true;
  });
  // It has taken the function that was there when the first listener came.
  for (const signal of signals) {
    const listeners = process.rawListeners(signal);
    process.removeAllListeners(signal);
    // Themselves, wrappers of once included: the code that added them may remove them.
    for (const listener of listeners) if (isListener(listener)) process.on(signal, listener);
  }
}

function isListener(value: unknown): value is () => void {
  return typeof value === 'function';
}

function isSignal(event: unknown): event is Signal {
  return event === 'SIGTERM' || event === 'SIGINT';
}

async function drainAll(signal: Signal): Promise<number> {
  await Promise.all(pending);
  const codes = await Promise.all(Array.from(drains.values(), (drain) => drain.start(signal)));
  return Math.max(0, ...codes);
}

/** Now the framework has its turn; where nobody handles the signal the process ends here. */
function handOver(signal: Signal, code: number, emit: () => void): void {
  state = 'over';
  if (drains.size === 0) {
    // None got a Health: nothing of ours is in the way of the signal.
    disarm();
    process.kill(process.pid, signal);
    return;
  }
  for (const server of drains.keys()) closeQuietly(server);
  const others = process.listeners(signal).filter((listener) => !ownListeners.has(listener));
  if (others.length === 0) process.exit(code);
  // Code that raises the signal again does so when no other listener is left.
  disarm();
  // It must end all the same where they only clean up, or wait for what never comes.
  setTimeout(() => process.exit(code), setting('shutdownTimeout', timeout, 5000)).unref();
  emit();
}

/** A framework closes its server and would be told that it is not running: it is closed as it wanted it. */
function closeQuietly(server: Server): void {
  const close: unknown = Reflect.get(server, 'close');
  if (typeof close !== 'function') return;
  Reflect.set(server, 'close', (closed: unknown): unknown => {
    if (typeof closed === 'function') server.once('close', () => void closed());
    return Reflect.apply(close, server, []);
  });
}
