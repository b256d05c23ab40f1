import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type NestMiddleware,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { healthMiddlewareMissing, moduleTwice, settingsInvalid } from '../../profiles/settings/errors.js';
import { startWatchdog } from '../../profiles/platform.js';
import { type AnySettings, loadSettings, settingsParts } from '../../profiles/settings/settings.js';
import type { SteppedDrain } from '../../http/drain/ending.js';
import { closeOnThrow } from '../../core/feature.js';
import { HealthCore } from '../../core/health.js';
import { isRecord } from '../../core/objects.js';
import { shown } from '../../core/options/errors.js';
import { openHealthPort } from '../../http/health-port.js';
import { type ClientToken, Container, type NestRequest, type NestSettings } from './container.js';
import { serveBefore } from './platform.js';
import type { NodeRequest, NodeResponse } from '../../http/node/serve.js';
import { holdSignals } from '../../http/drain/first.js';
import { drainOf } from '../../http/drain/server.js';
import { onShutdownHooks } from './shutdown-hooks.js';

export * from '../../profiles/entry.js';
export { noteError } from '../../http/node/serve.js';
export { getVersion } from '../../core/version.js';
export type { CheckClass, CheckProvider, IndicatorProvider, IndicatorResult, NestCheck } from './checks.js';
export type { ClientToken, NestRequest, NestSettings };

/**
 * The health object. Inject it to add checks or to listen to the signals.
 *
 * @example constructor(health: Health) { health.on('heartbeatFailed', ({ report }) => page(report)); }
 */
export class Health extends HealthCore<NodeRequest, NestRequest> {
  constructor(settings: AnySettings) {
    super(settingsParts(settings));
  }
}

const served = new WeakSet<Health>();

/**
 * The health module: import it in the root module and apply `HealthMiddleware` there.
 *
 * @example imports: [HealthModule.forRoot({ BASE_DIR: process.cwd(), DEBUG: false })]
 */
export class HealthModule
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #moduleRef: ModuleRef;
  readonly #modules: ModulesContainer;
  readonly #adapterHost: HttpAdapterHost;
  #health: Health | undefined;
  #drain: SteppedDrain | undefined;
  /** Of an application without HTTP: a microservice, a worker, a command. */
  #container: Container | undefined;
  #isSettled = false;
  #releases: (() => void)[] = [];

  // Health is not injected: if its settings were made per request, Nest would create no instance of this and say nothing.
  constructor(moduleRef: ModuleRef, modules: ModulesContainer, adapterHost: HttpAdapterHost) {
    this.#moduleRef = moduleRef;
    this.#modules = modules;
    this.#adapterHost = adapterHost;
    this.#releases.push(onShutdownHooks(modules, (signals) => this.#hold(signals)));
  }

  /** With settings that you have already. */
  static forRoot(settings: NestSettings): DynamicModule {
    return { module: HealthModule, global: true, ...contentsWith(settingsProvider(settings)) };
  }

  /** With settings from the container, such as from `ConfigService`. */
  static forRootAsync({ imports = [], inject = [], useFactory }: AsyncSettings): DynamicModule {
    const contents = contentsWith({ provide: settingsToken, inject, useFactory });
    return { module: HealthModule, global: true, ...contents, imports };
  }

  async onModuleInit(): Promise<void> {
    if ([...this.#modules.values()].filter(({ metatype }) => metatype === HealthModule).length > 1) {
      throw moduleTwice();
    }
    const health = this.#moduleRef.get(Health);
    this.#health = health;
    try {
      await this.#begin(health);
    } catch (thrown) {
      // Nest calls no hook of an application that did not start.
      this.#release();
      health.close();
      throw thrown;
    }
  }

  /** When the modules of the application have registered checks of their own. */
  async onApplicationBootstrap(): Promise<void> {
    const health = this.#health;
    if (health === undefined) return;
    closeOnThrow(health, () => health.requireKnownChecks());
    if (this.#container === undefined) return;
    const { openBySettings } = await import('../../worker/worker-settings.js');
    if (closeOnThrow(health, () => openBySettings(health, this.#settings()))) startWatchdog(health);
  }

  /** For a signal that was not held, such as the one of `app.close('SIGTERM')`; `app.close()` comes without one and does not wait. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal !== undefined) await this.#settle(signal);
  }

  /** The first `onModuleDestroy` may close the server, as @nestjs/graphql does: Nest receives the signal after the drain. */
  #hold(signals: readonly NodeJS.Signals[]): void {
    const release = holdSignals({
      signals,
      drain: (signal) => (this.#isSettled ? undefined : this.#settle(signal)),
      again: () => this.#drain?.hurry(),
    });
    this.#releases.push(release);
  }

  #release(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  async #settle(signal: string): Promise<void> {
    if (this.#drain === undefined && this.#health !== undefined && this.#container !== undefined) {
      const { drainBySettings } = await import('../../worker/worker-settings.js');
      this.#drain ??= drainBySettings(this.#health, this.#container.queueWorkers());
    }
    await this.#drain?.settle(signal);
    this.#isSettled = true;
  }

  onApplicationShutdown(): void {
    this.#release();
    this.#drain?.stop();
    this.#health?.close();
  }

  async #begin(health: Health): Promise<void> {
    const settings = this.#settings();
    // Without HTTP no middleware is applied.
    const server: unknown = this.#adapterHost.httpAdapter?.getHttpServer();
    if (server !== undefined) {
      if (!served.has(health)) throw healthMiddlewareMissing();
      startWatchdog(health);
    }
    const container = new Container(this.#moduleRef, this.#modules, settings);
    await loadSettings(health, settings, container);
    this.#drain = drainOf(server, health);
    if (server === undefined) this.#container = container;
    else openHealthPort(health);
  }

  #settings(): NestSettings {
    return this.#moduleRef.get<NestSettings>(settingsToken);
  }
}

/** The health middleware: `consumer.apply(HealthMiddleware).forRoutes('{*path}')` serves the three endpoints. */
export class HealthMiddleware implements NestMiddleware<NodeRequest, NodeResponse> {
  constructor(health: Health, { httpAdapter }: HttpAdapterHost, config: ApplicationConfig) {
    if (served.has(health)) return;
    served.add(health);
    serveBefore(health, httpAdapter, config);
  }

  /** The endpoints have been answered before Nest: see `serveBefore`. */
  use(_req: NodeRequest, _res: NodeResponse, next: () => void): void {
    next();
  }
}

/**
 * Settings from the container.
 *
 * @example HealthModule.forRootAsync({ inject: [ConfigService], useFactory: (config: ConfigService) => ({ BASE_DIR: config.getOrThrow('BASE_DIR') }) })
 */
export interface AsyncSettings extends Pick<ModuleMetadata, 'imports'> {
  /** The tokens of the factory's arguments. */
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...injected: never[]) => NestSettings | Promise<NestSettings>;
}

const settingsToken = Symbol('lifesign.settings');

function requireSettings(settings: unknown): NestSettings {
  if (!isRecord(settings)) {
    const write =
      'Write HealthModule.forRoot({ BASE_DIR: process.cwd() }), or return such an object from useFactory';
    throw settingsInvalid(`HealthModule got ${shown(settings)}, which is not a settings object`, write);
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the Health reads each setting by its rule, and refuses names that it does not know
  return settings as object as NestSettings;
}

// Decorators called as functions: they need neither a compiler's support nor emitted metadata.
// A bare import has no settings, and says so.
Module(contentsWith(settingsProvider(undefined)))(HealthModule);
inject(HealthModule, ModuleRef, ModulesContainer, HttpAdapterHost);
inject(HealthMiddleware, Health, HttpAdapterHost, ApplicationConfig);

function inject(target: object, ...tokens: readonly Parameters<typeof Inject>[0][]): void {
  tokens.forEach((token, index) => Inject(token)(target, undefined, index));
}

/** Nest distinguishes modules by their contents: the settings themselves. */
function settingsProvider(settings: unknown): Provider {
  return { provide: settingsToken, useValue: settings ?? null };
}

function contentsWith(provider: Provider) {
  const useFactory = (settings: unknown) => new Health(requireSettings(settings));
  return {
    providers: [provider, { provide: Health, inject: [settingsToken], useFactory }],
    exports: [Health],
  };
}
