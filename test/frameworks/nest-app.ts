// NestJS applications for tests, also on NestJS 11.
import 'reflect-metadata';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import {
  type CanActivate,
  Controller,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type ModuleMetadata,
  type Provider,
  type Scope,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { expect, onTestFinished } from 'vitest';
import { Health, HealthMiddleware, HealthModule, type NestSettings } from 'lifesign/nestjs';
import { freePort } from '../services/port.js';
import { collect } from '../http/serving.js';

export const platforms: readonly { platform: string; adapter: () => ExpressAdapter | FastifyAdapter }[] = [
  { platform: 'Express', adapter: () => new ExpressAdapter() },
  { platform: 'Fastify', adapter: () => new FastifyAdapter() },
];

/** Without Nest's own log; what is refused rejects. */
export const quiet = { logger: false, abortOnError: false } as const;

export interface Parts {
  /** In place of `HealthModule.forRoot(settings)`. */
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: Provider[];
  readonly controllers?: ModuleMetadata['controllers'];
  readonly adapter?: () => ExpressAdapter | FastifyAdapter;
  /** The middleware; by default that of lifesign. */
  readonly configure?: (consumer: MiddlewareConsumer) => void;
}

/** The settings of the tests, with a log that they can read. */
export function settingsWith(given: Partial<NestSettings>) {
  const { logger, records, summaries } = collect();
  const settings: NestSettings = { BASE_DIR: tmpdir(), DEBUG: true, HEALTH_CHECKS: [], logger, ...given };
  return { settings, records, summaries };
}

export const applyHealth = (consumer: MiddlewareConsumer) =>
  void consumer.apply(HealthMiddleware).forRoutes('{*path}');

/** An application that is not initialised yet, closed after the test. */
export async function create(given: Partial<NestSettings>, parts: Parts = {}) {
  const { settings, records, summaries } = settingsWith(given);
  const { imports = [HealthModule.forRoot(settings)], configure = applyHealth } = parts;
  const { providers = [], controllers = [], adapter = () => new ExpressAdapter() } = parts;
  class AppModule {
    configure = configure;
  }
  Module({ imports, providers, controllers })(AppModule);
  const app = await NestFactory.create(AppModule, adapter(), { ...quiet, forceCloseConnections: true });
  onTestFinished(() => app.close());
  const summariesOf = async (count: number) => {
    await expect.poll(() => summaries().length).toBe(count);
    return summaries();
  };
  return { app, records, summaries, summariesOf, listen: () => listen(app) };
}

/** The Health of an application that is initialised. */
export async function start(given: Partial<NestSettings>, parts?: Parts): Promise<Health> {
  const { app } = await create(given, parts);
  await app.init();
  return app.get(Health);
}

/** The origin of an application, on a port that nothing else uses. */
export async function listen(app: INestApplication): Promise<string> {
  await app.listen(await freePort(), '127.0.0.1');
  const address = (app.getHttpServer() as Server).address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : undefined}`;
}

export async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as unknown };
}

/** What the checks of a heartbeat say: the id of their message, or their status. */
export async function resultsOf(health: Health) {
  const { results } = await health.heartbeat();
  return Object.fromEntries(
    results.map(({ name, messages, status }) => [name, messages.map(({ id }) => id).join() || status]),
  );
}

/** What Nest does for a signal with `enableShutdownHooks()`, without the end of the process. */
export function shutdown(app: INestApplication, signal = 'SIGTERM'): Promise<void> {
  return (app as unknown as Record<'close', (signal?: string) => Promise<void>>).close(signal);
}

/** Decorators called as functions: the tests run without a compiler that knows Nest's kind. */
export function on(target: object, name: string, ...decorators: readonly MethodDecorator[]): void {
  for (const decorate of decorators)
    decorate(target, name, Reflect.getOwnPropertyDescriptor(target, name) ?? {});
}

/** A controller whose methods answer `GET` at their names. */
export function controller(methods: Record<string, () => unknown>, path = ''): new () => object {
  class Made {}
  Object.assign(Made.prototype, methods);
  Controller(path)(Made);
  for (const name of Object.keys(methods)) on(Made.prototype, name, Get(name));
  return Made;
}

type Token = Parameters<typeof Inject>[0];

/** `@Injectable({ scope })` with these dependencies. */
export function injectable(target: object, scope: Scope | undefined, ...tokens: readonly Token[]): void {
  if (scope !== undefined) Injectable({ scope })(target as never);
  tokens.forEach((token, index) => Inject(token)(target, undefined, index));
}

/** Lets nobody in. */
export const nobody: CanActivate = { canActivate: () => false };
