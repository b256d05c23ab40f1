import { isError } from '../../core/objects.js';
import { checkNotFunction, LifesignError, shown } from '../../core/options/errors.js';

export const entryInvalid = (value: unknown, why: string) =>
  checkNotFunction(
    value,
    `HEALTH_CHECKS contains ${shown(value)}, ${why}. Use a named function, { search: fn }, ['search', fn], or an import path such as ` +
      "'./checks/storage.js.storageReachable'.",
  );

export const baseDirInvalid = (problem: string) =>
  new LifesignError(
    'LIFESIGN_BASE_DIR',
    `The setting BASE_DIR is ${problem}. Set it to the project root, the directory that contains version.json: ` +
      "BASE_DIR: new URL('..', import.meta.url) from a file in src/, or BASE_DIR: process.cwd().",
  );

export const settingsInvalid = (problem: string, write: string) =>
  new LifesignError('LIFESIGN_SETTINGS', `${problem}. ${write}.`);

export const importPathInvalid = (setting: string, path: string, reason: string, options?: ErrorOptions) =>
  new LifesignError(
    'LIFESIGN_IMPORT_PATH',
    `${setting} has ${shown(path)}, which cannot be used: ${reason}. Write <module>.<export> as import() ` +
      "resolves it from BASE_DIR, such as './checks/storage.js.storageReachable', or pass the function itself.",
    options,
  );

export const healthMiddlewareMissing = () =>
  new LifesignError(
    'LIFESIGN_MIDDLEWARE',
    'HealthModule is imported but the health middleware is not applied, so nothing serves the endpoints. ' +
      "Add to the module: configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); }",
  );

export const healthProviderMissing = () =>
  new LifesignError(
    'LIFESIGN_PROVIDER',
    'The health middleware is applied but its provider is not registered, so there are no settings and no checks. ' +
      'Run node ace configure lifesign, or add lifesign/adonisjs/health_provider to the providers in adonisrc.ts.',
  );

export const connectionInvalid = (setting: string, reason: string) =>
  new LifesignError('LIFESIGN_CONNECTION', `${setting} ${reason}.`);

/** The first line of a reason, as a sentence. */
function firstLine(cause: unknown): string {
  const line = (isError(cause) ? cause.message : String(cause)).split('\n', 1).join().trimEnd();
  return line.endsWith('.') ? line : `${line}.`;
}

export const notInContainer = (setting: string, token: unknown, cause: unknown, fix: string) =>
  new LifesignError(
    'LIFESIGN_CONTAINER',
    `${setting} has ${typeof token === 'symbol' ? String(token) : shown(token)}, which the container cannot provide: ` +
      `${firstLine(cause)} ${fix}`,
    { cause },
  );

export const moduleTwice = () =>
  new LifesignError(
    'LIFESIGN_MODULE_TWICE',
    'HealthModule is imported twice in this application. Keep the import with settings in the root module; from there Health can be injected everywhere.',
  );
