import type { HttpContext, Server } from '@adonisjs/core/http';
import type { ApplicationService } from '@adonisjs/core/types';
import { levels } from '../../core/heartbeat/messages.js';
import { replace } from '../../core/replace.js';
import type { SteppedDrain } from '../../http/drain/ending.js';
import { openHealthPort } from '../../http/health-port.js';
import { noteError } from '../../http/node/serve.js';
import { startWatchdog } from '../../profiles/platform.js';
import { loadSettings } from '../../profiles/settings/settings.js';
import { drainOf } from '../../http/drain/server.js';
import { watchServer } from '../../http/node/watch-server.js';
import { loggerOf, servicesOf, undefinedServices } from './connections.js';
import { type AdonisSettings, Health } from './index.js';

/** The health provider: one of the providers in `adonisrc.ts`. */
export default class HealthProvider {
  readonly #app: ApplicationService;
  #drain: SteppedDrain | undefined;
  #health: Health | undefined;
  /** Restores what was replaced on the server of AdonisJS. */
  #restore: (() => void) | undefined;

  constructor(app: ApplicationService) {
    this.#app = app;
  }

  register(): void {
    this.#app.container.singleton(Health, async () => {
      const settings = this.#settings();
      const logger = await loggerOf(this.#app, settings.logger);
      const health = new Health({ ...settings, logger });
      await loadSettings(health, { ...settings, logger }, servicesOf(this.#app, settings));
      for (const msg of undefinedServices(settings)) health.say(levels.warning, msg);
      this.#health = health;
      return health;
    });
  }

  async boot(): Promise<void> {
    this.#drainBeforeOthers();
    if (!this.#serves()) return;
    const server = await this.#app.container.make('server');
    const setHandler = server.errorHandler.bind(server);
    // AdonisJS handles errors of handlers before any middleware sees them.
    const noting: Server['errorHandler'] = (load) =>
      setHandler(async () => ({ default: withErrorNote((await load()).default) }));
    this.#restore = replace(server, 'errorHandler', noting);
  }

  /** Before the server listens, so that mistakes in the settings stop the start. */
  async start(): Promise<void> {
    if (!this.#serves()) return;
    const health = await this.#app.container.make(Health);
    const emitter = await this.#app.container.make('emitter');
    health.on('heartbeatPassed', (event) => emitter.emit('lifesign:heartbeatPassed', event));
    health.on('heartbeatFailed', (event) => emitter.emit('lifesign:heartbeatFailed', event));
    health.on('loopBlocked', (event) => emitter.emit('lifesign:loopBlocked', event));
    health.on('loopFreed', (event) => emitter.emit('lifesign:loopFreed', event));
    health.on('verdictChanged', (event) => emitter.emit('lifesign:verdictChanged', event));
    startWatchdog(health);
  }

  async ready(): Promise<void> {
    if (this.#app.getEnvironment() !== 'web') return;
    const health = await this.#app.container.make(Health);
    health.requireKnownChecks();
    const server = await this.#app.container.make('server');
    const nodeServer = server.getNodeServer();
    if (nodeServer !== undefined) watchServer(health, nodeServer);
    this.#drain = drainOf(nodeServer, health);
    openHealthPort(health);
    this.#drainBeforeOthers();
  }

  async shutdown(): Promise<void> {
    this.#drain?.stop();
    // Not resolved from the container: it would create one, and throw once more if the settings were refused.
    this.#health?.close();
    this.#restore?.();
  }

  #settings(): AdonisSettings {
    return this.#app.config.get('health', {});
  }

  /** Commands and the REPL answer no requests. */
  #serves(): boolean {
    const environment = this.#app.getEnvironment();
    return environment === 'web' || environment === 'test';
  }

  /** Called twice: applications end their services in the order of registration or in reverse, as they choose. */
  #drainBeforeOthers(): void {
    this.#app.terminating(async () => this.#drain?.settle('terminating'));
  }
}

type LoadHandler = Parameters<Server['errorHandler']>[0];
type Handler = Awaited<ReturnType<LoadHandler>>['default'];

/** The application's exception handler, which reports to us first. A subclass: the application's is left alone. */
function withErrorNote(handler: Handler): Handler {
  class NotingHandler extends handler {}
  const report: unknown = Reflect.get(NotingHandler.prototype, 'report');
  if (typeof report !== 'function') return handler;
  Object.defineProperty(NotingHandler.prototype, 'report', {
    value(this: unknown, error: unknown, ctx: HttpContext): unknown {
      noteError(ctx.request.request, error);
      return Reflect.apply(report, this, [error, ctx]);
    },
  });
  return NotingHandler;
}
