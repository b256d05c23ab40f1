import { isClass, isObject } from '../objects.js';
import { attempt } from '../runtime.js';

/**
 * An error in how lifesign is used: thrown at start, never while a request is answered.
 * `code` is stable and listed in docs/errors.md; the message says what is wrong and how to fix it.
 */
export class LifesignError extends Error {
  override readonly name = 'LifesignError';
  readonly code: `LIFESIGN_${string}`;
  /** Where the code is explained: a command or an address. Node prints it below an uncaught error. */
  readonly help: string;

  constructor(code: `LIFESIGN_${string}`, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.help = helpFor(code);
  }
}

const messageExample = (kind: string) =>
  `Write new checks.${kind}('what is wrong', { id: 'myapp.health.E001' }).`;

export const messageIdMissing = (kind: string, id: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_ID',
    `A check message needs an id, a non-empty string that operators can search for; got ${shown(id)}. ${messageExample(kind)}`,
  );

export const messageTextInvalid = (kind: string, text: unknown) =>
  new LifesignError(
    'LIFESIGN_MESSAGE_TEXT',
    `The text of a check message must be a string; got ${shown(text)}. ${messageExample(kind)}`,
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

/** `who` begins the text: `Group "payments" names`. */
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

export const optionInvalid = (source: string, value: unknown, expects: string, fix: string) =>
  new LifesignError('LIFESIGN_OPTION_INVALID', `${source} is ${shown(value)}; it must be ${expects}. ${fix}`);

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

const entries =
  'lifesign/express, lifesign/fastify, lifesign/nestjs, lifesign/koa, lifesign/hono, lifesign/adonisjs, lifesign/node, lifesign/fetch or lifesign/worker';

/** Not here: `Health` is in the entry of your framework, such as `lifesign/express`. */
export const Health: { readonly importItFrom: typeof entries } = class {
  static readonly importItFrom = entries;

  constructor() {
    throw new LifesignError(
      'LIFESIGN_ENTRY',
      `The entry lifesign has no Health of its own. Import it from the entry of your framework: ${entries}.`,
    );
  }
};

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

export const versionCallbackInvalid = (value: unknown) =>
  new LifesignError(
    'LIFESIGN_VERSION_CALLBACK',
    `The version callback must be a function that takes the version path and returns an object; got ${shown(value)}.`,
  );

export const watchdogUnsupported = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_RUNTIME',
    'The watchdog needs a thread, but this runtime has no node:worker_threads. Omit the watchdog option here.',
  );

/** For what the build for edge workers leaves out; `instead` says what to write. */
export const notOnEdge = (what: string, instead = 'Omit it on this runtime') =>
  new LifesignError(
    'LIFESIGN_EDGE',
    `${what} is not available on edge workers, which have no sockets, files or threads, and keep nothing between requests. ${instead}.`,
  );

export const ownCheck =
  "Omit it, or write a check of your own: health.check('name', async ({ signal }) => …)";

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

export const configInvalid = (file: string, cause: string) =>
  new LifesignError(
    'LIFESIGN_CONFIG',
    `${file} cannot be used: ${cause}. Write export default { checks: { storage: async ({ signal }) => [] } } in a file with the ending .mjs.`,
  );

/** The known name that was probably meant: the same but for its spelling, a part of it, or two slips away. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const meant = bare(given);
  if (meant === '') return undefined;
  return (
    known.find((name) => bare(name) === meant) ??
    known.find((name) => slips(bare(name), meant) <= 2) ??
    known.find((name) => bare(name) !== '' && (bare(name).includes(meant) || meant.includes(bare(name))))
  );
}

/** `checkRedis` and `check_redis` are one name to a reader. */
const bare = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Letters to add, leave out or change to get from one text to the other; 3 if it is more than two. */
export function slips(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_item, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row.at(-1) ?? 3;
}

/** A value as it may be shown in an error: short, quoted, never an object's content. */
export const shown = (value: unknown): string =>
  attempt(() => textOf(value)) ?? 'an object that throws when it is read';

function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  }
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') {
    const kind = isClass(value) ? 'class' : 'function';
    const name: unknown = value.name;
    return typeof name !== 'string' || name === '' ? `an anonymous ${kind}` : `the ${kind} ${name}`;
  }
  if (isObject(value)) {
    const name: unknown = value.constructor?.name;
    return typeof name !== 'string' || name === '' || name === 'Object'
      ? 'a plain object'
      : `an instance of ${name}`;
  }
  return String(value);
}

/**
 * Where a message id or an error code is explained: its section on the web, or the command that prints the section offline.
 *
 * @example helpFor('health.E001') // 'npx lifesign-cli explain health.E001'
 */
export function helpFor(id: string, site = homepage): string {
  if (site === '') return `npx lifesign-cli explain ${id}`;
  const page = id.startsWith('LIFESIGN_') ? 'errors' : 'messages';
  // The anchors of the site: lower case, without the dot.
  return `${site}${page}.html#${id.toLowerCase().replaceAll('.', '')}`;
}

/** The same as a line for a terminal or a log. */
export const moreAbout = (id: string): string => `More: ${helpFor(id)}`;

const own = /^health\.[A-Z]\d{3}$/;

/** Whether a message id is one of lifesign's own, which the documentation explains. */
export const isExplained = (id: string): boolean => own.test(id);

/** The hint of a message in the log: the hint of the check, and the command or address that explains the id if it is one of ours. */
export function hintFor(id: string, hint: string | undefined): string | undefined {
  if (!isExplained(id)) return hint;
  return hint === undefined ? moreAbout(id) : `${hint} ${moreAbout(id)}`;
}

/** The address of the documentation, with a slash at its end, as `homepage` of package.json has it; empty while there is none. */
export const homepage: string = '';
