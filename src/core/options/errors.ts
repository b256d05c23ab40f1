import { isError } from '../guard.js';
import { LifesignError } from './lifesign-error.js';
import { nearest } from './nearest.js';
import { isClass, shown } from './shown.js';

export { isClass, LifesignError, shown };

export const messageIdMissing = (kind: string, id: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_ID',
    `A check message needs an id, a non-empty string that operators can search for; got ${shown(id)}. ` +
      `Write new checks.${kind}('what is wrong', { id: 'myapp.health.E001' }).`,
  );

export const messageTextInvalid = (kind: string, text: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_TEXT',
    `The text of a check message must be a string; got ${shown(text)}. ` +
      `Write new checks.${kind}('what is wrong', { id: 'myapp.health.E001' }).`,
  );

export const checkNameMissing = () =>
  new LifesignError(
    'LIFESIGN_CHECK_NAME',
    "A check needs a name, and this function has none. Write health.check('storage', () => …), in HEALTH_CHECKS { storage: () => … }, or use a named function.",
  );

export const checkDuplicate = (name: string) =>
  new LifesignError(
    'LIFESIGN_CHECK_DUPLICATE',
    `A check named ${shown(name)} is already registered. Names are the keys of the report, so give this one a different name: ` +
      "health.check('another name', fn), or in HEALTH_CHECKS { 'another name': fn }.",
  );

export const checkNotFunction = (
  value: unknown,
  problem = `A check must be a function that returns check messages; got ${shown(value)}.`,
) => new LifesignError('LIFESIGN_CHECK_FUNCTION', problem);

export const entryInvalid = (value: unknown, why: string) =>
  checkNotFunction(
    value,
    `HEALTH_CHECKS contains ${shown(value)}, ${why}. Use a named function, { search: fn }, ['search', fn], or an import path such as ` +
      "'./checks/storage.js.storageReachable'.",
  );

/** `who` begins the sentence: `Group "payments" names`. */
export const checkUnknown = (who: string, name: string, checks: readonly string[]) => {
  const meant = nearest(name, checks);
  const hint = meant === undefined ? '' : `Did you mean ${shown(meant)}? `;
  return new LifesignError(
    'LIFESIGN_CHECK_UNKNOWN',
    `${who} ${shown(name)}, but no check has that name. ${hint}Registered checks: ${checks.join(', ') || 'none'}.`,
  );
};

export const decoratorMisplaced = (decorator: string, kind: string) =>
  new LifesignError(
    'LIFESIGN_DECORATOR',
    `@health.${decorator} can only decorate a method, not a ${kind}. Move it to a method, or call health.${decorator}(fn).`,
  );

export const decoratorLegacy = (decorator: string, method: string) =>
  new LifesignError(
    'LIFESIGN_DECORATOR_LEGACY',
    `@health.${decorator} was applied to ${method} as a legacy decorator, which cannot see when an instance is created. ` +
      'Turn off experimentalDecorators (in tsconfig.json, or the legacy option of SWC and Babel), or call it in the constructor: ' +
      (decorator === 'check'
        ? `health.check('${method}', (context) => this.${method}(context)).`
        : `health.${decorator}((versionPath) => this.${method}(versionPath)).`),
  );

export const optionInvalid = (
  source: string,
  value: unknown,
  expects: string,
  fix: string,
  secret = false,
) => {
  const given = secret && typeof value === 'string' ? `a string of ${value.length} characters` : shown(value);
  return new LifesignError('LIFESIGN_OPTION_INVALID', `${source} is ${given}; it must be ${expects}. ${fix}`);
};

export const optionUnknown = (name: string, known: readonly string[], of = '') => {
  const meant = nearest(
    name,
    known.filter((each) => !each.includes(' ')),
  );
  const hint = meant === undefined ? '' : ` Did you mean ${shown(meant)}?`;
  return new LifesignError(
    'LIFESIGN_OPTION_UNKNOWN',
    `Unknown option ${shown(name)}${of && ` ${of}`}. Known options: ${known.join(', ')}.${hint}`,
  );
};

export const portInvalid = (value: string, variable = 'PORT') =>
  new LifesignError(
    'LIFESIGN_PORT',
    `${variable} is ${shown(value)}; it must be an integer from 0 to 65535. Fix it, or unset it to use the default (8000).`,
  );

export const appInvalid = (framework: string, app: unknown, write: string) =>
  new LifesignError('LIFESIGN_APP', `Expected ${framework}, got ${shown(app)}. Write ${write}.`);

export const appTwice = (framework: string) =>
  new LifesignError(
    'LIFESIGN_APP_TWICE',
    `This ${framework} already has a Health. Keep the first one and register your checks on it.`,
  );

export const appStarted = (framework: string, cause: unknown) =>
  new LifesignError(
    'LIFESIGN_APP_STARTED',
    `This ${framework} has already started. Create Health before ready(), listen() or inject(): right after you create the application, or in a plugin.`,
    { cause },
  );

export const drainTwice = (kind = 'server') =>
  new LifesignError(
    'LIFESIGN_DRAIN_TWICE',
    `drainOnSignals was already called for this ${kind}. Keep the first call and pass all of your onShutdown functions to it.`,
  );

export const watchdogUnsupported = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_RUNTIME',
    'The watchdog needs a thread, but this runtime has no node:worker_threads. Omit the watchdog option here.',
  );

export const watchdogTwice = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_TWICE',
    'This process already has a watchdog. Keep the first one, or close it before you start another.',
  );

export const watchdogPortTaken = (address: string, reason: string, inCluster: boolean) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_PORT',
    inCluster
      ? `The watchdog of this cluster worker does not answer on ${address} (${reason}): another worker does, and a probe there sees that one. This worker is watched, and its blocks are logged. To probe each, give each its own port, such as watchdog: { port: 8001 + cluster.worker.id }, or use 0.`
      : `The watchdog cannot listen on ${address} (${reason}). It still logs blocks, and it retries every few seconds. ` +
          'Set watchdog.port or HEALTH_WATCHDOG_PORT to a free port.',
  );

export const watchdogEnded = (reason: string, next: string) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_THREAD',
    `The watchdog thread exited (${reason}). ${next} The application is not affected.`,
  );

export const metricTaken = (name: string) =>
  new LifesignError(
    'LIFESIGN_METRICS_NAME',
    `The registry in metrics.registry already has a metric named ${name}, from another Health or from your own code. Give each Health its own registry, or omit the option.`,
  );

export const versionCallbackInvalid = (value: unknown) =>
  new LifesignError(
    'LIFESIGN_VERSION_CALLBACK',
    `The version callback must be a function that takes the version path and returns an object; got ${shown(value)}.`,
  );

const clientRefused = (problem: string) => new LifesignError('LIFESIGN_CLIENT', problem);

export const clientUnsupported = (option: string, value: unknown, supported: readonly string[]) =>
  clientRefused(
    // A string here is a connection string, with a password in it.
    `Option ${option} is ${typeof value === 'string' ? 'a string' : shown(value)}, which no built-in check supports. Supported clients: ${supported.join(', ')}. ` +
      (option.startsWith('HEALTH_')
        ? 'For anything else, add your own check to HEALTH_CHECKS: { name: fn }.'
        : "For anything else, register your own check: health.check('name', fn)."),
  );

export const clientFunction = (member: string, option: string) =>
  clientRefused(
    `Option ${member} is a function in an object, which may be a method of your code, so it is not called. ` +
      `Write the client itself, or a list of functions that return clients: ${option}: [() => connection].`,
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

export const healthMiddlewareMissing = (installed: string, write: string) =>
  new LifesignError(
    'LIFESIGN_MIDDLEWARE',
    `${installed} but the health middleware is not applied, so nothing serves the endpoints. ${write}`,
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
