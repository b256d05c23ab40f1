// On a signal the drain comes before everything that modules do when they are destroyed. Also run on NestJS 11.
import type { Server } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { HttpAdapterHost, NestApplicationContext } from '@nestjs/core';
import { afterEach, expect, test, vi } from 'vitest';
import { HealthModule } from 'lifesign/nestjs';
import { until } from '../core/waiting.js';
import { controller, create, type Parts, platforms, settingsWith } from './nest-app.js';

const signal = 'SIGUSR2';
const before = {
  kill: process.kill.bind(process),
  emit: process.emit,
  ownsEmit: Object.hasOwn(process, 'emit'),
  listeners: process.listenerCount(signal),
  enable: NestApplicationContext.prototype.enableShutdownHooks,
};
const raise = () => before.kill(process.pid, signal);
afterEach(() => {
  vi.restoreAllMocks();
  process.removeAllListeners(signal);
});

type Hook = 'onModuleDestroy' | 'beforeApplicationShutdown';

/** What the driver of @nestjs/graphql does: a module that closes the HTTP server itself. */
function closer(hook: Hook, done: string[]): DynamicModule {
  class Closer {
    readonly #host: HttpAdapterHost;
    constructor(host: HttpAdapterHost) {
      this.#host = host;
      Reflect.set(this, hook, () => this.close());
    }
    async close(): Promise<void> {
      done.push('closing');
      const server: Server = this.#host.httpAdapter.getHttpServer();
      await new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      });
    }
  }
  Reflect.defineMetadata('self:paramtypes', [{ index: 0, param: HttpAdapterHost }], Closer);
  return { module: class CloserModule {}, providers: [Closer] };
}

async function start(adapter: Parts['adapter'], modulesWith = (health: DynamicModule) => [health]) {
  let answer: (() => void) | undefined;
  const orders = controller({ orders: () => new Promise((done) => (answer = () => done('whole'))) });
  const { settings, records } = settingsWith({ drain: { delay: 600_000 } });
  const made = await create(
    {},
    {
      imports: modulesWith(HealthModule.forRoot(settings)),
      controllers: [orders],
      ...(adapter && { adapter }),
    },
  );
  return { ...made, records, answer: () => answer?.(), isAsked: () => answer !== undefined };
}

const cases = (['onModuleDestroy', 'beforeApplicationShutdown'] as const).flatMap((hook) =>
  ['before', 'after'].flatMap((order) => platforms.map((each) => ({ hook, order, ...each }))),
);

test.each(cases)(
  '$platform: a module imported $order ours that closes in $hook closes after the drain',
  async ({ hook, order, adapter }) => {
    const ended = vi.spyOn(process, 'kill').mockReturnValue(true);
    const done: string[] = [];
    const other = closer(hook, done);
    const { app, listen, records, answer, isAsked } = await start(adapter, (health) =>
      order === 'before' ? [other, health] : [health, other],
    );
    app.enableShutdownHooks([signal]);
    const origin = await listen();
    const slow = fetch(`${origin}/orders`).then((response) => response.text());
    await until(isAsked);
    raise();
    await until(() => records.some(({ msg }) => msg?.startsWith(`Draining (${signal})`)));
    // Up, and so 200; `/readyz` says that it drains.
    expect((await fetch(`${origin}/__lbheartbeat__`)).status).toBe(200);
    expect(done).toEqual([]);
    // The delay is ten minutes: one more signal ends it, and what is under way still has a moment.
    answer();
    expect(await slow).toBe('whole');
    raise();
    await until(() => ended.mock.calls.length > 0);
    expect(done).toEqual(['closing']);
    expect(ended.mock.calls).toEqual([[process.pid, signal]]);
    expect(records.map(({ msg }) => msg)).toContain('Drained: the framework ends the process');
    await expect(fetch(`${origin}/__lbheartbeat__`)).rejects.toThrow();
    expect([process.emit, Object.hasOwn(process, 'emit')]).toEqual([before.emit, before.ownsEmit]);
    expect(process.listenerCount(signal)).toBe(before.listeners);
    expect(NestApplicationContext.prototype.enableShutdownHooks).toBe(before.enable);
  },
);

test('without enableShutdownHooks nothing of the process is touched, and other listeners do not wait', async () => {
  const { app, listen, records } = await start(undefined);
  await listen();
  expect(process.emit).toBe(before.emit);
  expect(process.listenerCount(signal)).toBe(before.listeners);
  let heard = 0;
  process.once(signal, () => (heard += 1));
  raise();
  await until(() => heard === 1);
  expect(records.filter(({ msg }) => msg?.startsWith('Draining'))).toEqual([]);
  await app.close();
  expect(NestApplicationContext.prototype.enableShutdownHooks).toBe(before.enable);
});

test('listeners of libraries wait for the drain too, as those of Apollo Server do', async () => {
  vi.spyOn(process, 'kill').mockReturnValue(true);
  const { app, listen, records } = await start(undefined);
  const origin = await listen();
  // After listen, and with a listener that came earlier.
  const heard: string[] = [];
  process.prependListener(signal, () => heard.push('library'));
  app.enableShutdownHooks([signal]);
  raise();
  await until(() => records.some(({ msg }) => msg?.startsWith('Draining')));
  expect((await fetch(`${origin}/__lbheartbeat__`)).status).toBe(200);
  expect(heard).toEqual([]);
  raise();
  await until(() => heard.length > 0);
});
