import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  Inject,
  Module,
  type ModuleMetadata,
  type NestMiddleware,
  type OnApplicationShutdown,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { ApplicationConfig, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { healthMiddlewareMissing } from '../../core/options/errors.js';
import { SettingsHealth } from '../../profiles/settings/settings.js';
import type { Drain } from '../../http/drain/drain.js';
import { openHealthPort } from '../../http/health-port.js';
import { type ClientToken, Container, type NestRequest, type NestSettings } from './container.js';
import { serveBefore, serveRequest } from './platform.js';
import type { NodeRequest, NodeResponse } from '../../http/node/serve.js';
import { drainOf } from '../../http/drain/settings.js';

export * from '../../profiles/entry.js';
export { requestId } from '../../core/request/request.js';
export { noteError } from '../../http/node/serve.js';
export { getVersion } from '../../core/version/version.js';
export { HealthCheck } from './health-check.js';
export type { CheckClass, CheckProvider, IndicatorProvider } from './health-check.js';
export type { IndicatorResult, NestCheck } from './indicator.js';
export type { ClientToken, NestRequest, NestSettings };

/** Settings that are made of what the container has: `{ inject: [ConfigService], useFactory: (config) => … }`. */
export interface AsyncSettings extends Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...injected: never[]) => NestSettings | Promise<NestSettings>;
}

/**
 * Profile A's health object. Inject it to add checks or to listen to the signals.
 *
 * @example constructor(health: Health) { health.on('heartbeatFailed', ({ report }) => page(report)); }
 */
export class Health extends SettingsHealth<NodeRequest, NestRequest> {}

const settingsToken = Symbol('lifesign.settings');
/** Those whose middleware was applied. */
const served = new WeakSet<Health>();

/**
 * Profile A's application: import it in the root module and apply `HealthMiddleware` there.
 *
 * @example imports: [HealthModule.forRoot({ BASE_DIR: process.cwd(), DEBUG: false })]
 */
export class HealthModule implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #health: Health;
  readonly #container: Container;
  readonly #adapterHost: HttpAdapterHost;
  readonly #settings: NestSettings;
  #drain: Drain | undefined;

  constructor(
    health: Health,
    settings: NestSettings,
    moduleRef: ModuleRef,
    modules: ModulesContainer,
    adapterHost: HttpAdapterHost,
  ) {
    this.#health = health;
    this.#container = new Container(moduleRef, modules, settings);
    this.#adapterHost = adapterHost;
    this.#settings = settings;
  }

  /** With settings at hand. */
  static forRoot(settings: NestSettings): DynamicModule {
    return moduleWith({ provide: settingsToken, useValue: settings });
  }

  /** With settings from the container, such as those of `ConfigService`. */
  static forRootAsync({ imports = [], inject = [], useFactory }: AsyncSettings): DynamicModule {
    return { ...moduleWith({ provide: settingsToken, inject, useFactory }), imports };
  }

  async onModuleInit(): Promise<void> {
    // A worker or a command has no server: nobody applies a middleware there.
    const server: unknown = this.#adapterHost.httpAdapter?.getHttpServer();
    if (server !== undefined && !served.has(this.#health)) {
      throw healthMiddlewareMissing(
        'HealthModule is imported',
        "Add to the module: configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); }",
      );
    }
    await this.#health.load(this.#container);
    this.#drain = drainOf(server, this.#health, this.#settings);
    if (server !== undefined) openHealthPort(this.#health);
  }

  /** With `app.enableShutdownHooks()`; `app.close()` comes without a signal and does not wait. */
  async beforeApplicationShutdown(signal?: string): Promise<void> {
    if (signal !== undefined) await this.#drain?.start(signal);
  }

  onApplicationShutdown(): void {
    this.#drain?.stop();
    this.#health.close();
  }
}

/** Profile A's middleware: `consumer.apply(HealthMiddleware).forRoutes('{*path}')` serves the three endpoints. */
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

// Decorators called as functions: they need neither a compiler's support nor emitted metadata.
Module({})(HealthModule);
inject(HealthModule, Health, settingsToken, ModuleRef, ModulesContainer, HttpAdapterHost);
inject(HealthMiddleware, Health, HttpAdapterHost, ApplicationConfig);

function inject(target: object, ...tokens: readonly Parameters<typeof Inject>[0][]): void {
  tokens.forEach((token, index) => Inject(token)(target, undefined, index));
}

function moduleWith(settings: Provider): DynamicModule {
  const health: Provider = {
    provide: Health,
    inject: [settingsToken],
    useFactory: (given: NestSettings) => new Health(given),
  };
  return { module: HealthModule, global: true, providers: [settings, health], exports: [Health] };
}
