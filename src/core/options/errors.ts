import { nearest } from './nearest.js';
import { isClass, shown } from './shown.js';

export { isClass, shown };

/**
 * Misuse of lifesign: thrown at start, never while a request is answered.
 * `code` is stable and listed in docs/errors.md; the message says what was wrong and how to mend it.
 */
export class LifesignError extends Error {
  override readonly name = 'LifesignError';
  readonly code: `LIFESIGN_${string}`;

  constructor(code: `LIFESIGN_${string}`, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export const messageIdMissing = (kind: string, id: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_ID',
    `A check message needs an id: a non-empty string that an operator can search for, not ${shown(id)}. ` +
      `Write new checks.${kind}('what is wrong', { id: 'myapp.health.E001' }).`,
  );

export const messageTextInvalid = (kind: string, text: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_TEXT',
    `The text of a check message must be a string, not ${shown(text)}. ` +
      `Write new checks.${kind}('what is wrong', { id: 'myapp.health.E001' }).`,
  );

export const checkNameMissing = () =>
  new LifesignError(
    'LIFESIGN_CHECK_NAME',
    "A check needs a name and this function has none. Give it one: health.check('storage', () => …), { storage: () => … } in HEALTH_CHECKS, or use a named function.",
  );

export const checkDuplicate = (name: string) =>
  new LifesignError(
    'LIFESIGN_CHECK_DUPLICATE',
    `A check named ${shown(name)} is registered already. Names are the keys of the report: give this one another, ` +
      "health.check('another name', fn), or { 'another name': fn } in HEALTH_CHECKS.",
  );

export const checkNotFunction = (
  value: unknown,
  problem = `A check must be a function that returns check messages, not ${shown(value)}.`,
) => new LifesignError('LIFESIGN_CHECK_FUNCTION', problem);

export const entryInvalid = (value: unknown, why: string) =>
  checkNotFunction(
    value,
    `HEALTH_CHECKS has ${shown(value)}, ${why}. List a named function, { search: fn }, ['search', fn], or an import path such as ` +
      "'./checks/storage.js.storageReachable'.",
  );

/** `who` begins the sentence: `Group "payments" names`. */
export const checkUnknown = (who: string, name: string, checks: readonly string[]) => {
  const meant = nearest(name, checks);
  const hint = meant === undefined ? '' : `Did you mean ${shown(meant)}? `;
  return new LifesignError(
    'LIFESIGN_CHECK_UNKNOWN',
    `${who} ${shown(name)}, and no check has that name. ${hint}The checks are: ${checks.join(', ') || 'none'}.`,
  );
};

export const decoratorMisplaced = (decorator: string, kind: string) =>
  new LifesignError(
    'LIFESIGN_DECORATOR',
    `@health.${decorator} decorates methods, not a ${kind}. Move it to a method or call health.${decorator}(fn).`,
  );

export const decoratorLegacy = (decorator: string, method: string) =>
  new LifesignError(
    'LIFESIGN_DECORATOR_LEGACY',
    `@health.${decorator} was applied to ${method} as a legacy decorator, which does not tell when an instance is made. ` +
      'Turn experimentalDecorators off (in tsconfig.json, or the legacy option of SWC and Babel), or call it in the constructor: ' +
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
  const given = secret && typeof value === 'string' ? `a text of ${value.length} characters` : shown(value);
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
    `There is no option ${shown(name)}${of && ` ${of}`}. Known options: ${known.join(', ')}.${hint}`,
  );
};

export const portInvalid = (value: string, variable = 'PORT') =>
  new LifesignError(
    'LIFESIGN_PORT',
    `${variable} is ${shown(value)}; it must be an integer from 0 to 65535. Set it, or leave it unset for 8000.`,
  );

export const appInvalid = (framework: string, app: unknown, write: string) =>
  new LifesignError('LIFESIGN_APP', `${shown(app)} is not ${framework}. Write ${write}.`);

export const appTwice = (framework: string) =>
  new LifesignError(
    'LIFESIGN_APP_TWICE',
    `This ${framework} has a Health already. Keep the first one and register your checks on it.`,
  );

export const appStarted = (framework: string, cause: unknown) =>
  new LifesignError(
    'LIFESIGN_APP_STARTED',
    `This ${framework} has started already and takes no Health any more. Make the Health before ready(), listen() and inject(): right after the application, or in a plugin.`,
    { cause },
  );

export const drainTwice = (kind = 'server') =>
  new LifesignError(
    'LIFESIGN_DRAIN_TWICE',
    `drainOnSignals was called for this ${kind} already. Keep the first call and give it all of your onShutdown functions.`,
  );

export const watchdogUnsupported = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_RUNTIME',
    'The watchdog needs a thread and this runtime has no node:worker_threads. Leave the option watchdog out here.',
  );

export const watchdogTwice = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_TWICE',
    'The event loop of this process is watched already. Keep the first watchdog, or close it before you start another.',
  );

export const watchdogPortTaken = (address: string, reason: string, inCluster: boolean) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_PORT',
    `The watchdog cannot listen on ${address} (${reason}). Blocks are logged all the same; it tries again every few seconds. ` +
      (inCluster
        ? 'This is a worker of a cluster: give each its own port, such as watchdog: { port: 8001 + cluster.worker.id }, or 0.'
        : 'Set the option watchdog.port or HEALTH_WATCHDOG_PORT to a free port.'),
  );

export const watchdogEnded = (reason: string, next: string) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_THREAD',
    `The watchdog's thread ended (${reason}). ${next} The application is not affected.`,
  );

export const metricTaken = (name: string) =>
  new LifesignError(
    'LIFESIGN_METRICS_NAME',
    `The registry of the option metrics has a metric ${name} already, of another Health or your own. Give each Health a registry of its own, or none.`,
  );

export const versionCallbackInvalid = (value: unknown) =>
  new LifesignError(
    'LIFESIGN_VERSION_CALLBACK',
    `The version callback must be a function that gets the version path and returns an object, not ${shown(value)}.`,
  );

export const clientUnsupported = (option: string, value: unknown, supported: readonly string[]) =>
  new LifesignError(
    'LIFESIGN_CLIENT',
    // A string here is a connection string, with a password in it.
    `Option ${option} is ${typeof value === 'string' ? 'a string' : shown(value)}, which no built-in check can ask. Supported clients: ${supported.join(', ')}. ` +
      (option.startsWith('HEALTH_')
        ? 'For anything else list a check of your own in HEALTH_CHECKS: { name: fn }.'
        : "For anything else register your own: health.check('name', fn)."),
  );

export const baseDirInvalid = (problem: string) =>
  new LifesignError(
    'LIFESIGN_BASE_DIR',
    `The setting BASE_DIR is ${problem}. Set it to the root of the project, the directory that holds version.json: ` +
      "BASE_DIR: new URL('..', import.meta.url) in src/, or BASE_DIR: process.cwd().",
  );

export const settingsInvalid = (problem: string, write: string) =>
  new LifesignError('LIFESIGN_SETTINGS', `${problem}. ${write}.`);

export const importPathInvalid = (setting: string, path: string, reason: string, options?: ErrorOptions) =>
  new LifesignError(
    'LIFESIGN_IMPORT_PATH',
    `${setting} has ${shown(path)}, which cannot be used: ${reason}. Write <module>.<export> as import() in BASE_DIR ` +
      "resolves it, such as './checks/storage.js.storageReachable', or give the function itself.",
    options,
  );

export const healthMiddlewareMissing = (installed: string, write: string) =>
  new LifesignError(
    'LIFESIGN_MIDDLEWARE',
    `${installed} but the health middleware is not applied, so that nothing serves the endpoints. ${write}`,
  );

export const healthProviderMissing = () =>
  new LifesignError(
    'LIFESIGN_PROVIDER',
    'The health middleware is applied but its provider is not registered, so that there are no settings and no checks. ' +
      'Add lifesign/adonisjs/health_provider to the providers in adonisrc.ts, as node ace configure lifesign does.',
  );

export const connectionInvalid = (setting: string, reason: string) =>
  new LifesignError('LIFESIGN_CONNECTION', `${setting} ${reason}.`);

/** The first line of a reason, as a sentence. */
function firstLine(cause: unknown): string {
  const line = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1).join().trimEnd();
  return line.endsWith('.') ? line : `${line}.`;
}

export const notInContainer = (setting: string, token: unknown, cause: unknown, fix: string) =>
  new LifesignError(
    'LIFESIGN_CONTAINER',
    `${setting} has ${typeof token === 'symbol' ? String(token) : shown(token)}, which the container cannot give: ` +
      `${firstLine(cause)} ${fix}`,
    { cause },
  );

export const moduleTwice = () =>
  new LifesignError(
    'LIFESIGN_MODULE_TWICE',
    'HealthModule is imported twice in this application. Keep the import with settings in the root module: Health can be injected everywhere from there.',
  );
