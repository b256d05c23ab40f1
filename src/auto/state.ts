// Imports only types of the core: a process that never listens loads only these few lines.
import type { BuiltInOptions } from '../checks/clients.js';
import type { Check } from '../core/heartbeat/check.js';

/** The argument of `watch`: the clients of the built-in checks, and checks by name. */
export interface Watched extends BuiltInOptions {
  readonly checks?: Readonly<Record<string, Check>> | undefined;
}

/** State shared by all copies of the package if `lifesign/auto` is on. */
export interface Auto {
  /** The working directory at the start: some servers change it before they listen. */
  readonly startedIn: string;
  /** Clients and checks that were passed before there was a Health. */
  readonly waiting: Watched[];
  /** Takes clients and checks. */
  take: (watched: Watched) => void;
}

const key = Symbol.for('lifesign.auto.1');

/** Undefined if `lifesign/auto` is not on. */
export function autoOf(): Auto | undefined {
  return Reflect.get(globalThis, key);
}

/** Turns it on; undefined if another copy of the package has done so. */
export function turnOn(): Auto | undefined {
  if (autoOf() !== undefined) return undefined;
  const waiting: Watched[] = [];
  const auto: Auto = { startedIn: process.cwd(), waiting, take: (watched) => void waiting.push(watched) };
  // A frozen global takes nothing.
  return Reflect.defineProperty(globalThis, key, { value: auto }) ? auto : undefined;
}
