import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import { constants } from 'node:os';
import type { HealthCore } from '../../core/health.js';
import { readDeclared, requireKnownOptions } from '../../core/options/read-options.js';
import { features, type HealthDrainOptions, type ResolvedDrain } from '../../core/options/features.js';
import { functionOf, type Rule } from '../../core/options/rules.js';

/** A server of node:http, https or http2. */
export type Server = HttpServer | HttpsServer | Http2Server | Http2SecureServer;

export function isServer(value: unknown): value is Server {
  return value instanceof NetServer && 'setTimeout' in value;
}

/** Options of every draining, which win over the options of the Health's `drain`. */
export interface EndingOptions extends Omit<HealthDrainOptions, 'delay'> {
  /** Functions to run after that, or as soon as only endless responses are left, one after the other: end event streams, close pools, flush buffers. */
  readonly onShutdown?: readonly (() => unknown)[] | undefined;
  /** The signals that start the drain. Default SIGTERM, and SIGINT, which PM2 sends to stop a process. */
  readonly signals?: readonly NodeJS.Signals[] | undefined;
  /** Ends the process; gets 0, 1 when something was cut off or failed, or 128 + its number for a second signal. If it fails, `process.exit` is called. Default `process.exit`. */
  readonly exit?: ((code: number) => unknown) | undefined;
}

/** Options of draining a server. Those that are set here win over the Health's option `drain` and its variables. */
export interface DrainOptions extends EndingOptions, Pick<HealthDrainOptions, 'delay'> {
  /** The server to drain: of node:http, https or http2. */
  readonly server?: Server;
}

/** The draining of a process. */
export interface Drain {
  /** Starts the drain without a signal. Returns the same promise each time, which resolves with the exit code. */
  start(reason?: string): Promise<number>;
  /** Stops waiting: open requests are cut off now. `onShutdown` still runs. */
  hurry(): void;
  /** Removes the signal handlers and releases the server. `health.close()` does it, too, unless the drain has begun. */
  stop(): void;
}

const hooks: Rule<readonly (() => unknown)[]> = {
  expects: 'a list of functions',
  accepts: (value): value is readonly (() => unknown)[] =>
    Array.isArray(value) && value.every((hook) => typeof hook === 'function'),
};
const signalNames: Rule<readonly NodeJS.Signals[]> = {
  expects: 'a list of signals such as SIGTERM',
  accepts: (value): value is readonly NodeJS.Signals[] =>
    Array.isArray(value) && value.every((name) => typeof name === 'string' && name in constants.signals),
};
type Exit = NonNullable<EndingOptions['exit']>;

/** The options that only the call has: functions and lists, which have no variables. */
const callDeclaration = {
  onShutdown: [hooks, []],
  signals: [signalNames, ['SIGTERM', 'SIGINT']],
  exit: [functionOf('the exit code'), undefined],
} as const;

/** The options with their defaults. A timeout that is not set depends on how much time has passed. */
export interface ResolvedEnding extends ResolvedDrain {
  readonly onShutdown: readonly (() => unknown)[];
  readonly signals: readonly NodeJS.Signals[];
  readonly exit: Exit;
}

/**
 * The options of a drain: of the call, else of the Health's `drain`, else of the variables. `own` is what only this kind of drain has, `server`
 * or `stop`. Throws for an option that is none of these.
 */
export function resolveEnding(
  health: HealthCore<never>,
  options: EndingOptions,
  own: readonly string[],
): ResolvedEnding {
  const parts = Object.keys(features.drain.parts).filter((part) => part !== 'delay');
  requireKnownOptions(options, [...own, ...parts, ...Object.keys(callDeclaration)], 'drainOnSignals');
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const values = readDeclared(
    features.drain.parts,
    { ...health.options.drain, ...Object.fromEntries(set) },
    (part) => `drain.${part}`,
    (part) => part,
  );
  const { onShutdown, signals, exit: given } = readDeclared(callDeclaration, options);
  // oxlint-disable-next-line typescript/consistent-type-assertions -- its rule saw that it is a function, its type says of what
  const exit = (given as Exit | undefined) ?? ((code) => process.exit(code));
  return { ...values, onShutdown, signals, exit };
}
