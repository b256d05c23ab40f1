import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClientProxyFactory,
  type ClientProxy,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { Redis } from 'ioredis';
import { EMPTY, NEVER, throwError } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { beat, say, until } from './say.js';

class Math {
  ping = () => 'pong';
  nothing = () => EMPTY;
  never = () => NEVER;
  fails = () => throwError(() => new Error('password=pl4nted'));
}
for (const method of ['ping', 'nothing', 'never', 'fails'] as const) {
  const handler = Math.prototype as unknown as Record<string, () => unknown>;
  handler[method] = new Math()[method];
  MessagePattern({ cmd: method })(handler, method, { value: handler[method] });
}
Controller()(Math);
class App {}
Module({ controllers: [Math] })(App);

async function start(options: MicroserviceOptions) {
  const app = await NestFactory.createMicroservice(App, { ...options, logger: false });
  await app.listen();
  return app;
}

const opened: ClientProxy[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((client) => client.close()));
});
function keep(client: ClientProxy): ClientProxy {
  opened.push(client);
  return client;
}

const ids = { answered: [], noConnection: ['health.E027'], late: ['health.E012'] };

describe('TCP', () => {
  let port: number;
  let app: Awaited<ReturnType<typeof start>>;
  const at = (to: number) => () =>
    ClientProxyFactory.create({ transport: Transport.TCP, options: { host: '127.0.0.1', port: to } });
  beforeAll(async () => {
    port = await freePort();
    app = await start({ transport: Transport.TCP, options: { host: '127.0.0.1', port } });
  });
  afterAll(() => app.close());

  it("over the application's client and over one of its own", async () => {
    for (const client of [keep(at(port)()), at(port)]) {
      expect(await say(checks.microservice(client))).toEqual([]);
      expect(await say(checks.microservice(client, { pattern: { cmd: 'ping' } }))).toEqual([]);
      expect(await say(checks.microservice(client, { pattern: { cmd: 'nothing' } }))).toEqual([]);
      expect(await say(checks.microservice(client, { warn: 1e-9 }))).toEqual([
        expect.stringMatching(/^Warning health.W012: The microservice answered after \d+ ms, above 0 ms$/),
      ]);
      expect(await beat(checks.microservice(client, { pattern: { cmd: 'never' } }))).toEqual(ids.late);
    }
  });

  it('a reply that is an error, and a message that has no handler', async () => {
    const [failed] = await say(checks.microservice(at(port), { pattern: { cmd: 'fails' } }));
    expect(failed).toMatch(/^Error health.E027: Cannot reach the microservice: /);
    expect(failed).not.toContain('pl4nted');
    const [unhandled] = await say(checks.microservice(at(port), { pattern: { cmd: 'misspelt' } }));
    expect(unhandled).toMatch(/^Error health.E027: .*no matching message handler/i);
  });

  it('nothing listens; something listens again', async () => {
    const free = await freePort();
    const client = keep(at(free)());
    const both = [checks.microservice(client), checks.microservice(at(free))];
    for (const check of both) {
      expect(await say(check)).toEqual([
        `Error health.E027: Cannot reach the microservice: connection refused (ECONNREFUSED 127.0.0.1:${free})`,
      ]);
    }
    let late = await start({ transport: Transport.TCP, options: { host: '127.0.0.1', port: free } });
    for (const check of both) await until(async () => (await say(check)).length === 0, 'it answers');
    await late.close();
    for (const check of both)
      await until(async () => (await beat(check)).join() === 'health.E027', 'it is gone');
    late = await start({ transport: Transport.TCP, options: { host: '127.0.0.1', port: free } });
    onTestFinished(() => late.close());
    for (const check of both) await until(async () => (await say(check)).length === 0, 'it is back');
  });

  it('a server that accepts and says nothing: no connection is left to it', async () => {
    const sockets = new Set<Socket>();
    // It does not even answer the end of a connection.
    const frozen = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      socket.resume();
    }).listen(0, '127.0.0.1');
    await once(frozen, 'listening');
    onTestFinished(() => void frozen.close());
    const address = frozen.address();
    if (address === null || typeof address === 'string') throw new Error('No port');
    const check = checks.microservice(at(address.port));
    expect(await beat(check)).toEqual(ids.late);
    await until(() => [...sockets].every((socket) => socket.readableEnded || socket.destroyed), 'closed');
    const held = keep(at(address.port)());
    expect(await beat(checks.microservice(held))).toEqual(ids.late);
    // Nothing waits for replies that nobody reads.
    const routing: Map<string, unknown> = Reflect.get(held, 'routingMap');
    await until(() => routing.size === 0, 'no reply is waited for');
    for (const socket of sockets) socket.destroy();
  });

  it('makes one connection at a time and leaves none, over a hundred heartbeats', async () => {
    const check = checks.microservice(at(port));
    await Promise.all(Array.from({ length: 50 }, () => say(check)));
    for (let run = 0; run < 50; run += 1) expect(await say(check)).toEqual([]);
    await until(
      () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length === 0,
      'no socket is open',
    );
  });

  it('refuses what is no client, and a client of gRPC', async () => {
    const refused = expect.objectContaining({ code: 'LIFESIGN_CLIENT' });
    // @ts-expect-error options alone connect to nothing
    expect(() => checks.microservice({ transport: Transport.TCP })).toThrow(refused);
    const grpc = { connect() {}, close() {}, send() {}, emit() {}, getClientByServiceName() {} };
    // @ts-expect-error its send is another
    expect(() => checks.microservice(grpc)).toThrow('checks.grpc');
    // @ts-expect-error nor does a function that gives nothing
    expect(await say(checks.microservice(() => undefined))).toEqual([
      'Error health.E027: Cannot reach the microservice: the function did not return a ClientProxy that can connect',
    ]);
  });
});

describe.skipIf(!canStart('redis'))('Redis', () => {
  let server: RunningService;
  const at =
    (to: number, options: object = {}) =>
    () =>
      ClientProxyFactory.create({
        transport: Transport.REDIS,
        options: { host: '127.0.0.1', port: to, ...options },
      });
  beforeAll(async () => {
    server = await startService('redis');
  });
  afterAll(() => server?.stop());

  async function connections(): Promise<number> {
    const admin = new Redis({ host: '127.0.0.1', port: server.port });
    const list = String(await admin.client('LIST'));
    await admin.quit();
    return list.trim().split('\n').length - 1;
  }

  it('the broker, and the microservice over it', async () => {
    const app = await start({
      transport: Transport.REDIS,
      options: { host: '127.0.0.1', port: server.port },
    });
    for (const client of [keep(at(server.port)()), at(server.port)]) {
      expect(await say(checks.microservice(client))).toEqual([]);
      expect(await say(checks.microservice(client, { pattern: { cmd: 'ping' } }))).toEqual([]);
    }
    await app.close();
    // The broker is there, and nobody replies.
    expect(await say(checks.microservice(at(server.port)))).toEqual([]);
    expect(await beat(checks.microservice(at(server.port), { pattern: { cmd: 'ping' } }))).toEqual(ids.late);
  });

  it('leaves no connection of its own', async () => {
    await until(async () => (await connections()) <= 2, 'what other tests opened is closed');
    const before = await connections();
    const check = checks.microservice(at(server.port));
    for (let run = 0; run < 10; run += 1) expect(await say(check)).toEqual([]);
    await until(async () => (await connections()) <= before, 'all connections are closed');
  });

  it('a broker that is frozen or not there', async () => {
    const client = keep(at(server.port, { retryAttempts: 1000, retryDelay: 50 })());
    const check = checks.microservice(client);
    expect(await say(check)).toEqual([]);
    server.freeze();
    try {
      // The pings of a client that is connected, and a connection that is not made.
      expect(['health.E012', 'health.E027']).toContain((await beat(check)).join());
      expect(await beat(checks.microservice(at(server.port)))).toEqual(ids.late);
    } finally {
      server.thaw();
    }
    await until(async () => (await say(check)).length === 0, 'it is well again');
    await until(async () => (await connections()) <= 2, 'the one that was not made is closed');
    const nowhere = await freePort();
    expect(await say(checks.microservice(at(nowhere)))).toEqual([
      expect.stringMatching(/^Error health.E027: Cannot reach the microservice: /),
    ]);
  });
});
