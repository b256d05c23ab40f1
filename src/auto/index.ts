// Imports only types of the core: a process that never listens loads only these few lines.
import type { BuiltInOptions } from '../checks/clients.js';
import type { Check } from '../core/heartbeat/check.js';
import type { HealthConfig } from './register.js';
import { type Attach, watchListen } from './listen.js';

export type { HealthConfig };

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
  /** Accepts clients and checks. */
  take: (watched: Watched) => void;
}

const key = Symbol.for('lifesign.auto.1');

/** Undefined if `lifesign/auto` is not on. */
function currentAuto(): Auto | undefined {
  return Reflect.get(globalThis, key);
}

/** Turns it on; undefined if another copy of the package has done so. */
function turnOn(): Auto | undefined {
  if (currentAuto() !== undefined) return undefined;
  const waiting: Watched[] = [];
  const auto: Auto = { startedIn: process.cwd(), waiting, take: (watched) => void waiting.push(watched) };
  // A frozen global takes nothing.
  return Reflect.defineProperty(globalThis, key, { value: auto }) ? auto : undefined;
}

/**
 * Passes the application's clients to the Health that `--import lifesign/auto` creates, before its server listens or
 * later: `db`, `redis`, `migrations` and `broker` as for any Health, and `checks` by name. If the process was started
 * without `lifesign/auto` it does nothing. It never throws: a mistake is a failing check, and a line on standard error.
 *
 * @example export const pool = new Pool(); watch({ db: pool });
 */
export function watch(clients: Watched): void {
  currentAuto()?.take(clients);
}

/** Bundles with `watch` in them run on workers, too. */
const started = (): Partial<NodeJS.Process> => globalThis.process ?? {};

/** `lifesign/auto`, or the path of its file: `/app/node_modules/lifesign/auto.js`. */
const named = /(?:^|[\s"'=/\\])lifesign[/\\]+auto(?:\.js)?(?=$|[\s"'])/;

/**
 * Whether this process was started with `lifesign/auto`, by a flag of Node or in `NODE_OPTIONS`. Applications import the same
 * module for `watch`, and that turns nothing on. `HEALTH_AUTO` decides if it is set: for a file of your own that is preloaded
 * and imports it, or to turn it off in one process.
 */
function isTurnedOn(): boolean {
  const { env = {}, execArgv = [] } = started();
  const { HEALTH_AUTO: decided = '', NODE_OPTIONS: options = '' } = env;
  if (decided !== '') return /^(?:true|1)$/i.test(decided);
  return [...execArgv, options].some((flags) => named.test(flags));
}

/** The part that makes the Health: with a `require`, because a server that listens does not wait for an `import()`. */
function loadAttach(auto: Auto): Attach {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { attachTo }: { attachTo: (auto: Auto) => Attach } = createRequire(import.meta.url)('./attach.js');
  return attachTo(auto);
}

const auto = isTurnedOn() ? turnOn() : undefined;
if (auto !== undefined) {
  let attach: Attach | undefined;
  watchListen(() => (attach ??= loadAttach(auto)));
}
