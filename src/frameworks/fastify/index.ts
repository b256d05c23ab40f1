import type { FastifyInstance, FastifyRequest } from 'fastify';
import { appInvalid, appStarted, optionInvalid } from '../../core/options/errors.js';
import { isDeferrable, type Logger, type LogRecord } from '../../core/log.js';
import { type Scalar } from '../../core/heartbeat/messages.js';
import { duration, flag, headerName, integer, type Rule, text } from '../../core/options/rules.js';
import { environment } from '../../core/runtime.js';
import { adoptLogger } from '../../logging/adopt.js';
import { stdoutLogger } from '../../logging/stdout.js';
import {
  Extension,
  fromWorkingDirectory,
  type HealthOptions as OptionsOf,
} from '../../profiles/extension.js';
import { warnIfNewer } from '../start.js';
import { serveByHooks, warnOfFastifyRoutes } from '../platforms.js';
import { openHealthPort } from '../../http/health-port.js';
import { noteError, type NodeRequest, type NodeServer, serveFirst } from '../../http/node/serve.js';
import { isObject } from '../../core/objects.js';

export * from '../../profiles/entry.js';
export { logConfig } from '../../logging/pino.js';
export type { LogConfig, LogConfigOptions } from '../../logging/pino.js';
export { noteError };

/** A Fastify instance, 5, on http, https or http2. */
export interface FastifyApp {
  readonly server: NodeServer;
  // Its overloads differ with the server and the type provider.
  readonly addHook: unknown;
  decorate(name: 'health', value: Health): unknown;
}

type HookingApp = FastifyApp & Pick<FastifyInstance, 'addHook' | 'close' | 'hasRoute' | 'version'>;

/** Options of the Health of Fastify: those of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<NodeRequest, FastifyRequest> {}

/**
 * The three endpoints and `request.summary` for a Fastify application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends Extension<FastifyApp, NodeRequest, FastifyRequest> {
  /** Every variable `FASTIFY_…` without its prefix, typed: `FASTIFY_ACME_REGION` is `health.config.acmeRegion`. */
  readonly config: Readonly<Record<string, Scalar>>;

  /** Without an application, `new Health(options)`: pass it to `initApp` later. */
  constructor(app?: FastifyApp | HealthOptions, options?: HealthOptions);
  constructor(...given: readonly [first?: FastifyApp | HealthOptions, options?: HealthOptions]) {
    const config = fastifyVariables();
    super(given, { ...fromWorkingDirectory(), logger: (name) => new FastifyLog(name) }, isInstance);
    this.config = config;
  }

  /** The endpoints belong to the whole application: from a plugin, which has its own instance, they are added to the root. */
  override initApp(app: FastifyApp): this {
    return super.initApp(isInstance(app) ? rootOf(app) : app);
  }

  /** @internal */
  protected override install(app: FastifyApp): void {
    if (!isInstance(app)) {
      throw appInvalid('a Fastify instance', app, 'const app = Fastify(); new Health(app)');
    }
    const { logger } = this.options;
    if (logger instanceof FastifyLog) logger.follow(app);
    let closing = false;
    try {
      serveByHooks(this, app);
      if (this.options.summary) {
        app.addHook('onError', ({ raw }, _reply, error, done) => {
          noteError(raw, error);
          done();
        });
      }
      app.addHook('onReady', async () => {
        this.requireKnownChecks();
        warnIfNewer(this, 'fastify', app.version);
        warnOfFastifyRoutes(this, app);
      });
      app.addHook('preClose', (done) => {
        closing = true;
        // Requests that arrive until the server is closed are still answered.
        this.stop();
        done();
      });
      app.addHook('onClose', (_app, done) => {
        this.close();
        done();
      });
    } catch (cause) {
      throw appStarted('Fastify instance', cause);
    }
    openHealthPort(this);
    this.onShutdown.push(() => app.close());
    // Before Fastify's routing: no hook, constraint or plugin of the application can take a probe down.
    serveFirst(this, app.server, {
      before: (res) => {
        // As Fastify does for its routes: a probe that keeps its connection would keep close() waiting.
        if (closing) res.shouldKeepAlive = false;
      },
    });
  }
}

function isInstance(app: unknown): app is HookingApp {
  return isObject(app) && 'server' in app && 'addHook' in app;
}

/** The instance that `Fastify()` gave: those of plugins inherit from it. */
function rootOf(app: HookingApp): HookingApp {
  const parent: unknown = Object.getPrototypeOf(app);
  return isInstance(parent) ? rootOf(parent) : app;
}

/**
 * The plugin form: the Health is `app.health`. TypeScript knows that property if the plugin is imported from
 * `lifesign/fastify/plugin`.
 *
 * @example await app.register(health, { db: pool }); app.health.check(storageReachable);
 */
export const health = Object.assign(
  async (app: FastifyApp, options: HealthOptions): Promise<void> => {
    app.decorate('health', new Health(app, options));
  },
  // Not encapsulated: the endpoints are the whole application's.
  { [Symbol.for('skip-override')]: true, [Symbol.for('plugin-meta')]: { name: 'lifesign', fastify: '>=5' } },
);
export default health;

/** The default log of a Health on Fastify: the application's logger, or standard output if that does not log. */
class FastifyLog implements Logger {
  #target: Logger;

  constructor(loggerName: string) {
    this.#target = stdoutLogger({ loggerName });
  }

  get deferrable(): boolean {
    return isDeferrable(this.#target);
  }

  log(record: LogRecord): void {
    this.#target.log(record);
  }

  /** Takes the logger of an application, if it has one. */
  follow(app: object): void {
    const log: unknown = Reflect.get(app, 'log');
    // Without a logger, or with `logger: false`, Fastify has one of empty functions, which has no level.
    if (!isObject(log) || !('level' in log)) return;
    this.#target = adoptLogger(log) ?? this.#target;
  }
}

const prefix = 'FASTIFY_';

const trust: Rule<boolean | string> = {
  expects: 'true, false or a list of proxy addresses',
  accepts: (value) => flag.accepts(value) || text.accepts(value),
  ...(flag.fromText && { fromText: flag.fromText }),
};

/** The options of Fastify that a variable can carry, and of its router. */
const serverRules = {
  bodyLimit: integer(1, Number.MAX_SAFE_INTEGER, ' (bytes)'),
  connectionTimeout: duration,
  exposeHeadRoutes: flag,
  forceCloseConnections: flag,
  handlerTimeout: duration,
  keepAliveTimeout: duration,
  maxRequestsPerSocket: integer(0, Number.MAX_SAFE_INTEGER),
  pluginTimeout: duration,
  requestIdHeader: headerName,
  requestTimeout: duration,
  return503OnClosing: flag,
  trustProxy: trust,
};
const routerRules = {
  allowUnsafeRegex: flag,
  caseSensitive: flag,
  ignoreDuplicateSlashes: flag,
  ignoreTrailingSlash: flag,
  maxParamLength: integer(1, Number.MAX_SAFE_INTEGER),
  useSemicolonDelimiter: flag,
};
const rules = new Map<string, Rule<Scalar>>(Object.entries({ ...serverRules, ...routerRules }));

type Values<Rules> = { [Name in keyof Rules]?: Rules[Name] extends Rule<infer T> ? T : never };

/** Server options for `Fastify({ … })`: only those set by a variable `FASTIFY_…`. */
export type FastifyConfig = Values<typeof serverRules> & { routerOptions?: Values<typeof routerRules> };

/**
 * The server options that the environment sets: `FASTIFY_BODY_LIMIT=2048` is `{ bodyLimit: 2048 }`.
 *
 * @example const app = Fastify({ ...fastifyConfig(), logger: logConfig() });
 */
export function fastifyConfig(): FastifyConfig {
  const config: FastifyConfig = {};
  for (const [name, value] of Object.entries(fastifyVariables())) {
    if (Object.hasOwn(serverRules, name)) Object.assign(config, { [name]: value });
    if (Object.hasOwn(routerRules, name)) Object.assign((config.routerOptions ??= {}), { [name]: value });
  }
  return config;
}

/** Every variable `FASTIFY_…`: the name without the prefix, in camel case, the value typed. */
function fastifyVariables(): Readonly<Record<string, Scalar>> {
  const found: [string, Scalar][] = [];
  for (const [variable, value] of Object.entries(environment())) {
    // An empty variable is how many platforms spell "unset".
    if (!variable.startsWith(prefix) || variable === prefix || value === undefined || value === '') continue;
    const name = camelCase(variable.slice(prefix.length));
    found.push([name, typed(variable, value, rules.get(name))]);
  }
  return Object.freeze(Object.fromEntries(found));
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/(?<!_)_+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function typed(variable: string, value: string, rule: Rule<Scalar> | undefined): Scalar {
  if (rule === undefined) return guessed(value);
  const parsed = rule.fromText?.(value);
  if (rule.accepts(parsed)) return parsed;
  throw optionInvalid(variable, value, rule.expects, 'Fix it or omit it.');
}

/** A number only if nothing is lost by it: `007` and `1e3` stay texts. */
function guessed(value: string): Scalar {
  if (value === 'true' || value === 'false') return value === 'true';
  return String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}
