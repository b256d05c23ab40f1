// core/runtime.ts on edge workers: constants, so that the build leaves out the code for other runtimes.
import type * as all from '../core/runtime.js';

export const attempt: typeof all.attempt = (read) => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const env = attempt(() => globalThis.process?.env);
// Cloudflare's compatibility layer has files and standard output, but they lead nowhere.
export const host: typeof all.host = env === undefined ? {} : { env };
export const AsyncStorage: typeof all.AsyncStorage =
  Reflect.get(globalThis, 'AsyncLocalStorage') ??
  attempt(() => globalThis.process?.getBuiltinModule('node:async_hooks').AsyncLocalStorage);
export const timersEndWithRequest = true;
export const environment: typeof all.environment = () => host.env ?? {};
export const hostName: typeof all.hostName = () => '';
export const requestStarts: typeof all.requestStarts = () => undefined;
