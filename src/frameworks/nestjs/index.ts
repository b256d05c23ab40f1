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
  Scope,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { healthMiddlewareMissing, moduleTwice, settingsInvalid } from '../../profiles/settings/errors.js';
import { SettingsHealth } from '../../profiles/settings/settings.js';
import type { SteppedDrain } from '../../http/drain/ending.js';
import { closeOnThrow } from '../../core/feature.js';
import { isRecord } from '../../core/objects.js';
import { shown } from '../../core/options/errors.js';
import { openHealthPort } from '../../http/health-port.js';
import { type ClientToken, Container, type NestRequest, type NestSettings } from './container.js';
import { serveBefore, serveRequest } from './platform.js';
import type { NodeRequest, NodeResponse } from '../../http/node/serve.js';
import { holdSignals } from '../../http/drain/first.js';
import { drainOf } from '../../http/drain/server.js';
import { onShutdownHooks } from './shutdown-hooks.js';

export * from '../../profiles/entry.js';
export { noteError } from '../../http/node/serve.js';
export { getVersion } from '../../core/version.js';
export { HealthCheck } from './checks.js';
export type { CheckClass, CheckProvider, IndicatorProvider, IndicatorResult, NestCheck } from './checks.js';
export type { ClientToken, NestRequest, NestSettings };

/**
 * The health object. Inject it to add checks or to listen to the signals.
 *
 * @example constructor(health: Health) { health.on('heartbeatFailed', ({ report }) => page(report)); }
 */
export class Health extends SettingsHealth<NodeRequest, NestRequest> {}

/** Those whose middleware was applied. */
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
    return { module: HealthModule, global: true, ...contentsWith(given(settings)) };
  }

  /** With settings from the container, such as those of `ConfigService`. */
  static forRootAsync(given: AsyncSettings): DynamicModule {
    const contents = contentsWith(asyncProvider(given ?? {}));
    return { module: HealthModule, global: true, ...contents, imports: given.imports ?? [] };
  }

  async onModuleInit(): Promise<void> {
    if ([...this.#modules.values()].filter(({ metatype }) => metatype === HealthModule).length > 1) {
      throw moduleTwice();
    }
    if (this.#moduleRef.introspect(Health).scope !== Scope.DEFAULT) throw perRequest();
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
    if (closeOnThrow(health, () => openBySettings(health, this.#settings()))) health.watch();
  }

  /** With `app.enableShutdownHooks()`, if the signal was not held; `app.close()` comes without a signal and does not wait. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal !== undefined) await this.#settle(signal);
  }

  /** The first `onModuleDestroy` may close the server, as that of @nestjs/graphql does: Nest receives the signal after the drain. */
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
    if (server !== undefined && !served.has(health)) {
      throw healthMiddlewareMissing(
        'HealthModule is imported',
        "Add to the module: configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); }",
      );
    }
    if (server !== undefined) health.watch();
    const container = new Container(this.#moduleRef, this.#modules, settings);
    await health.load(container);
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
  readonly #health: Health;

  constructor(health: Health, { httpAdapter }: HttpAdapterHost, config: ApplicationConfig) {
    this.#health = health;
    if (served.has(health)) return;
    served.add(health);
    serveBefore(health, httpAdapter, config);
  }

  use(req: NodeRequest, res: NodeResponse, next: () => void): void {
    serveRequest(this.#health, req, res, next);
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

/** The provider of settings that a factory returns. */
function asyncProvider({ inject = [], useFactory: make }: Partial<AsyncSettings>): Provider {
  const example = 'useFactory: () => ({ BASE_DIR: process.cwd() })';
  // In JavaScript it may be missing.
  if (typeof make !== 'function') {
    const write = `Write HealthModule.forRootAsync({ ${example} })`;
    throw settingsInvalid('HealthModule.forRootAsync got no settings', write);
  }
  const source = 'useFactory of HealthModule.forRootAsync returned';
  return {
    provide: settingsToken,
    inject,
    useFactory: async (...injected: never[]) => requireSettings(await make(...injected), source, example),
  };
}

/** The settings; throws if they are not an object. */
function requireSettings(given: unknown, source: string, instead: string): NestSettings {
  if (isRecord(given)) {
    const settings: object = given;
    // oxlint-disable-next-line typescript/consistent-type-assertions -- SettingsHealth reads each setting by its rule, and refuses names that it does not know
    return settings as NestSettings;
  }
  const what =
    given === undefined || given === null ? 'no settings' : `${shown(given)}, which is not a settings object`;
  throw settingsInvalid(`${source} ${what}`, `Write ${instead}`);
}

/** Settings that depend on a request: Nest would make neither Health nor its module, and say nothing. */
const perRequest = () =>
  settingsInvalid(
    'The settings of HealthModule.forRootAsync are request-scoped: a provider in inject, or one of its dependencies, has the scope REQUEST',
    'Health is created once, at start: inject providers with the default scope',
  );

// Decorators called as functions: they need neither a compiler's support nor emitted metadata.
// A bare import has no settings, and says so.
Module(contentsWith(given(undefined), 'HealthModule was imported with'))(HealthModule);
inject(HealthModule, ModuleRef, ModulesContainer, HttpAdapterHost);
inject(HealthMiddleware, Health, HttpAdapterHost, ApplicationConfig);

function inject(target: object, ...tokens: readonly Parameters<typeof Inject>[0][]): void {
  tokens.forEach((token, index) => Inject(token)(target, undefined, index));
}

/** Nest distinguishes modules by their contents: the settings themselves. */
function given(settings: unknown): Provider {
  return { provide: settingsToken, useValue: settings ?? null };
}

function contentsWith(settings: Provider, source = 'HealthModule.forRoot got') {
  const instead = 'HealthModule.forRoot({ BASE_DIR: process.cwd() })';
  const useFactory = (found: unknown) => new Health(requireSettings(found, source, instead));
  return {
    providers: [settings, { provide: Health, inject: [settingsToken], useFactory }],
    exports: [Health],
  };
}
