import type { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whether the code runs on a worker: no files, no standard output, and a timer ends with the request that set it. */
const isWorker: boolean =
  globalThis.navigator?.userAgent === 'Cloudflare-Workers' ||
  // Next's Edge runtime: its process has the members of Node's, and they throw.
  'EdgeRuntime' in globalThis ||
  attempt(() => typeof globalThis.process.getBuiltinModule) !== 'function';

/**
 * The process on Node, Bun and Deno; next to nothing on workers, although the types say otherwise.
 * Node's built-ins are taken from it and not imported, so that the core loads on every runtime
 * and Node loads only what is used: `host.getBuiltinModule?.('node:path')`.
 */
export const host: Partial<NodeJS.Process> = isWorker ? workerHost() : globalThis.process;

// Cloudflare's compatibility layer has files and standard output, but they lead nowhere.
function workerHost(): Partial<NodeJS.Process> {
  const env = attempt(() => globalThis.process?.env);
  return env === undefined ? {} : { env };
}

/** AsyncLocalStorage, if the runtime has it: Next's Edge runtime as a global, Cloudflare with `nodejs_compat`. */
export const AsyncStorage: typeof AsyncLocalStorage | undefined =
  Reflect.get(globalThis, 'AsyncLocalStorage') ??
  attempt(() => globalThis.process?.getBuiltinModule('node:async_hooks').AsyncLocalStorage);

export const timersEndWithRequest: boolean = isWorker;

/** Whether this is Node itself: Bun and Deno have its modules, and not all that these report. */
export const isNode: boolean = !isWorker && !('Bun' in globalThis || 'Deno' in globalThis);

/** A built-in of the runtime; undefined if it is missing or not allowed, as on Deno without a flag. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The environment variables: none on runtimes without them, on Deno those that it allows. */
export function environment(): Variables {
  const { env = {} } = host;
  if (!('Deno' in globalThis)) return env;
  // Deno throws when a variable, or the names of all, are read and its flags do not allow that.
  const get = (_target: object, name: string | symbol) => attempt(() => Reflect.get(env, name));
  return attempt(() => ({ ...env })) ?? new Proxy<Variables>({}, { get });
}

/** The name of the machine, empty if it is unknown. */
export function hostName(): string {
  return attempt(() => host.getBuiltinModule?.('node:os').hostname()) ?? '';
}

export const isClusterWorker = (): boolean =>
  Reflect.get(Object(host.getBuiltinModule?.('node:cluster')), 'isWorker') === true;

/** The message that Node publishes for each request, before anyone else has it. */
export interface RequestStart {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: { emit(...args: unknown[]): unknown };
}

/** The channel of these messages. Not imported: fetch handlers come here too, and workers have none of Node. */
export const requestStarts = () =>
  host.getBuiltinModule?.('node:diagnostics_channel').channel('http.server.request.start');

// Raised when the shared state changes its shape: copies of different versions then ignore each other.
const key = Symbol.for('lifesign.shared.1');

/**
 * State that all copies of the package in a process have in common: a bundle of the application has one, `--import lifesign/auto` loads another.
 * A realm has its own: test files of Jest share nothing.
 */
export function shared<T extends object>(name: string, make: () => T): T {
  const states: Map<string, T> = Reflect.get(globalThis, key) ?? new Map();
  const known = states.get(name);
  if (known !== undefined) return known;
  const state = make();
  states.set(name, state);
  Reflect.defineProperty(globalThis, key, { value: states });
  return state;
}
