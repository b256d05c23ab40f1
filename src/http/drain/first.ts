import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import type { HealthCore } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { replace } from '../../core/replace.js';
import { drained, type SteppedDrain } from './ending.js';
import { isServer, type Server } from './options.js';
import { byFramework, drainInSteps } from './server.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

/** The servers that are drained while they listen. */
const drains = new Map<Server, SteppedDrain>();
let received: NodeJS.Signals | undefined;
/** Whether the process exits with a code if nothing else handles the signal, and is not ended by the signal. */
let exits = false;
let release = (): void => {};
let log = (_msg: string): void => {};

/**
 * Drains a server before other code receives the signal: the handlers of the framework and of the application are called
 * when nothing is left except responses that they must end. Only the main thread gets signals.
 */
export function drainFirst(server: Server, health: HealthCore<never>, onShutdown: Hooks = []): void {
  if (!isMainThread || drained.has(server)) return;
  const drain = drainInSteps(health, { server, onShutdown, ...byFramework }, whoEnds);
  log = (msg) => health.say(levels.error, msg);
  if (drains.size === 0) release = holdSignals({ signals, drain: drainAll, again: endBySignal });
  drains.set(server, drain);
  const leave = () => {
    if (received !== undefined || drains.get(server) !== drain) return;
    drains.delete(server);
    drain.stop();
    if (drains.size === 0) release();
  };
  server.once('close', leave);
  health.onClose(leave);
  drained.set(server, leave);
}

type Hooks = readonly (() => unknown)[];

/** The option `drain`: each server of the Health is drained as long as it listens, and then the process exits. */
export function drainByOption(server: unknown, health: HealthCore<never>, onShutdown: Hooks): void {
  if (!isServer(server) || health.closed) return;
  exits = true;
  const begin = () => drainFirst(server, health, onShutdown);
  if (server.listening) begin();
  server.on('listening', begin);
  health.onClose(() => server.off('listening', begin));
}

function whoEnds(code: number): string {
  if (received !== undefined && othersOn(received))
    return `the application's handlers of ${received} end the process`;
  return `the process ends ${exits ? `with ${code}` : `by ${received}`}`;
}

async function drainAll(signal: NodeJS.Signals): Promise<void> {
  received = signal;
  await Promise.all(Array.from(drains.values(), (drain) => drain.settle(signal)));
  if (!othersOn(signal)) {
    const code = await allClosed();
    if (exits) process.exit(code);
    endBySignal(signal);
  }
  for (const server of drains.keys()) closeQuietly(server);
  // Code that raises the signal again does so when no other listener is left.
  release();
  void allClosed().then(() => endLater(signal));
}

/** 1 if a server was not drained completely. */
async function allClosed(): Promise<number> {
  return Math.max(0, ...(await Promise.all(Array.from(drains.values(), (drain) => drain.start()))));
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
  const close: Server['close'] = Reflect.get(server, 'close');
  Reflect.set(server, 'close', (closed?: () => void): unknown => {
    if (closed !== undefined) server.once('close', () => closed());
    return Reflect.apply(close, server, []);
  });
}

/** Gets signals before every listener of the process. */
interface SignalHolder {
  readonly signals: readonly NodeJS.Signals[];
  /** The listeners run once this is fulfilled; at once if it is undefined. */
  drain(signal: NodeJS.Signals): Promise<void> | undefined;
  /** Another signal came while the first one is held. */
  again(signal: NodeJS.Signals): void;
}

const holders = new Set<SignalHolder>();
let isHolding = false;
let restore: (() => void) | undefined;

/** Passes signals to `holder` first, until the returned function is called. */
export function holdSignals(holder: SignalHolder): () => void {
  restore ??= intercept();
  holders.add(holder);
  for (const signal of holder.signals) {
    process.on(signal, stay);
    rebind(signal);
  }
  return () => {
    if (!holders.delete(holder)) return;
    for (const signal of holder.signals) process.off(signal, stay);
    if (holders.size > 0) return;
    restore?.();
    restore = undefined;
  };
}

/** Keeps the process alive at a signal that the application does not handle. */
const stay = (): void => {};

function othersOn(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).some((listener) => listener !== stay);
}

/** Node calls `process.emit` for a signal: that is the one place before every listener, also those that are prepended later. */
function intercept(): () => void {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- all overloads at once
  const emitter = process as { emit: (...args: readonly unknown[]) => boolean };
  const { emit: original } = emitter;
  return replace(emitter, 'emit', (...args) => {
    const emit = () => Reflect.apply(original, process, args);
    const [event, , number] = args;
    const wanting = [...holders].filter(({ signals }) => signals.some((signal) => signal === event));
    const signal = wanting[0]?.signals.find((name) => name === event);
    if (signal === undefined) return emit();
    // Node passes the number; code that calls process.emit does not, and without a listener that does nothing.
    if (typeof number !== 'number' && !othersOn(signal)) return false;
    return hold(signal, wanting, emit);
  });
}

function hold(signal: NodeJS.Signals, wanting: readonly SignalHolder[], emit: () => boolean): boolean {
  if (isHolding) {
    for (const holder of wanting) holder.again(signal);
    return true;
  }
  const drains = wanting.flatMap((holder) => holder.drain(signal) ?? []);
  if (drains.length === 0) return emit();
  isHolding = true;
  void Promise.all(drains).then(() =>
    // Outside of the promise: an error of a listener stays an uncaught exception.
    setImmediate(() => {
      isHolding = false;
      emit();
    }),
  );
  return true;
}

/** Node has bound the `emit` that was there when the first listener of a signal came. */
function rebind(signal: NodeJS.Signals): void {
  const listeners = process.rawListeners(signal);
  process.removeAllListeners(signal);
  // The listeners themselves, wrappers of once included: the code that added them may remove them.
  // oxlint-disable-next-line typescript/consistent-type-assertions -- typed as Function, and what `on` has taken before
  for (const listener of listeners) process.on(signal, listener as () => void);
}

/**
 * Ends the process by the signal, as Node does without a handler. Listeners of `exit` run first, so that no log line is lost. Process 1 of a
 * container cannot be ended by a signal to itself: it exits with 128 plus its number.
 */
function endBySignal(signal: NodeJS.Signals): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(128 + constants.signals[signal]);
}
