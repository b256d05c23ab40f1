import { join } from 'node:path';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, GrpcMethod, Transport } from '@nestjs/microservices';
import { firstValueFrom, from, lastValueFrom, type Observable, switchMap, toArray } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { HealthModule } from 'lifesign/nestjs';
import { deferred, until } from '../core/waiting.js';
import { collect } from '../http/serving.js';
import { freePort } from '../services/port.js';

interface Order {
  readonly id: string;
}
interface OrdersClient {
  answer(order: Order): Observable<Order>;
  several(order: Order): Observable<Order>;
}

test('a microservice over gRPC finishes and answers its calls before it ends', async () => {
  const { logger, records } = collect();
  const messages = () => records.flatMap(({ msg }) => msg ?? []);
  const work = deferred();
  let begun = 0;
  class Orders {
    async answer({ id }: Order): Promise<Order> {
      begun += 1;
      await work.promise;
      return { id: `${id} answered` };
    }
    several({ id }: Order): Observable<Order> {
      begun += 1;
      return from(work.promise).pipe(switchMap(() => [{ id }, { id: `${id} again` }]));
    }
  }
  Controller()(Orders);
  for (const [name, rpc] of [
    ['answer', 'Answer'],
    ['several', 'Several'],
  ] as const) {
    const method = Object.getOwnPropertyDescriptor(Orders.prototype, name) ?? {};
    GrpcMethod('Orders', rpc)(Orders.prototype, name, method);
  }
  class App {}
  const settings = {
    BASE_DIR: process.cwd(),
    HEALTH_CHECKS: [],
    HEALTH_LOGGER: logger,
    HEALTH_PORT: 0,
    HEALTH_DRAIN_DELAY: 0,
  };
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [Orders] })(App);
  const url = `127.0.0.1:${await freePort()}`;
  const options = { url, package: 'shop', protoPath: join(import.meta.dirname, 'orders.proto') };
  const transport = { transport: Transport.GRPC, options } as const;
  const app = await NestFactory.createMicroservice(App, { logger: false, abortOnError: false, ...transport });
  app.enableShutdownHooks([]);
  await app.listen();
  const client = ClientProxyFactory.create(transport);
  onTestFinished(() => client.close());
  const orders = client.getService<OrdersClient>('Orders');
  const answer = firstValueFrom(orders.answer({ id: 'one' }));
  const several = lastValueFrom(orders.several({ id: 'two' }).pipe(toArray()));
  await until(() => begun === 2);
  let ended = false;
  const ending = Promise.resolve(
    Reflect.apply(Reflect.get(app, 'callBeforeShutdownHook'), app, ['SIGTERM']),
  ).then(() => (ended = true));
  await until(() => messages().includes('Draining (SIGTERM): taking no more work, 2 jobs are in progress'));
  expect(ended).toBe(false);
  work.resolve();
  await ending;
  expect([await answer, await several]).toEqual([
    { id: 'one answered' },
    [{ id: 'two' }, { id: 'two again' }],
  ]);
  expect(messages().join('\n')).not.toContain('Cut off');
  await app.close();
});
