import type { FastifyInstance, FastifyRequest } from 'fastify';
import { closeOnThrow } from '../../core/feature.js';
import { HealthCore } from '../../core/health.js';
import { appInvalid, appStarted } from '../../core/options/errors.js';
import { isDeferrable, type Logger, type LogRecord } from '../../core/log.js';
import { type Scalar } from '../../core/heartbeat/messages.js';
import { adoptLogger } from '../../logging/adopt.js';
import { stdoutLogger } from '../../logging/stdout.js';
import {
  extension,
  fromWorkingDirectory,
  type HealthArguments,
  type HealthOptions as OptionsOf,
} from '../../profiles/extension.js';
import { openHealthPort } from '../../http/health-port.js';
import { noteError, type NodeRequest, type NodeServer, serveFirst } from '../../http/node/serve.js';
import { isObject } from '../../core/objects.js';
import { serveByHooks } from './hooks.js';
import { fastifyVariables } from './variables.js';

export * from '../../profiles/entry.js';
export { logConfig } from '../../logging/pino.js';
export type { LogConfig, LogConfigOptions } from '../../logging/pino.js';
export { noteError };
export { type FastifyConfig, fastifyConfig } from './variables.js';

/** A Fastify instance, 5, on http, https or http2. */
export interface FastifyApp {
  readonly server: NodeServer;
  // Its overloads differ with the server and the type provider.
  readonly addHook: unknown;
  decorate(name: 'health', value: Health): unknown;
}

type HookingApp = FastifyApp & Pick<FastifyInstance, 'addHook' | 'close'>;

/** Options of the Health of Fastify: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<NodeRequest, FastifyRequest> {}

/**
 * The three endpoints and `request.summary` for a Fastify application.
 *
 * @example const health = new Health(app, { db: pool });
 */
export class Health extends HealthCore<NodeRequest, FastifyRequest> {
  /** Every variable `FASTIFY_…` without its prefix, typed: `FASTIFY_ACME_REGION` is `health.config.acmeRegion`. */
  readonly config: Readonly<Record<string, Scalar>>;

  constructor(...args: HealthArguments<FastifyApp, HealthOptions>) {
    // Refuses a wrong variable before anything is opened.
    const config = fastifyVariables();
    const { app, parts } = extension(args, {
      ...fromWorkingDirectory(),
      logger: (name) => new FastifyLog(name),
      isApp: isInstance,
    });
    super(parts);
    this.config = config;
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /**
   * Installs the three endpoints in an application that you create after the Health. They belong to the whole application: from a
   * plugin, which has its own instance, they are added to the root.
   *
   * @example const health = new Health(); const app = Fastify(); health.initApp(app);
   */
  initApp(app: FastifyApp): this {
    if (!isInstance(app)) {
      throw appInvalid('a Fastify instance', app, 'const app = Fastify(); new Health(app)');
    }
    const root = rootOf(app);
    return this.install(root, () => this.#serve(root));
  }

  #serve(app: HookingApp): void {
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
      app.addHook('onReady', async () => this.requireKnownChecks());
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

/** The instance that `Fastify()` returned: the instances of plugins inherit from it. */
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

  follow(app: object): void {
    const log: unknown = Reflect.get(app, 'log');
    // Without a logger, or with `logger: false`, Fastify has one of empty functions, which has no level.
    if (!isObject(log) || !('level' in log)) return;
    this.#target = adoptLogger(log) ?? this.#target;
  }
}
