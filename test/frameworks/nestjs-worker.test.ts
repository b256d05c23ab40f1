import { createServer } from 'node:http';
import { Controller, Module, type ModuleMetadata } from '@nestjs/common';
import {
  ClientProxyFactory,
  MessagePattern,
  type MicroserviceOptions,
  Transport,
} from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Health, HealthModule, type NestSettings } from 'lifesign/nestjs';
import { job } from 'lifesign/worker';
import { deferred, turn, until } from '../core/waiting.js';
import { listening } from '../http/serving.js';
import { freePort } from '../services/port.js';
import { create, on, quiet, settingsWith } from './nest-app.js';

beforeEach(() => {
  for (const name of ['PORT', 'HEALTH_PORT', 'HEALTH_FILE']) vi.stubEnv(name, '');
});
afterEach(() => void vi.unstubAllEnvs());

/** A module of its own, with a HealthModule of these settings. */
function appModule(given: Partial<NestSettings>, more: ModuleMetadata = {}) {
  const { settings, records } = settingsWith(given);
  class App {}
  Module({ ...more, imports: [HealthModule.forRoot(settings)] })(App);
  const messages = () => records.flatMap(({ msg }) => msg ?? []);
  return { App, records, messages };
}

async function context(App: new () => unknown) {
  const app = await NestFactory.createApplicationContext(App, quiet);
  onTestFinished(() => app.close());
  return app;
}

/** The port that the log says the endpoints are served on. */
async function portOf(messages: () => readonly string[]): Promise<number> {
  const said = () => messages().find((msg) => msg.startsWith('Serving the health endpoints on'));
  await until(() => said() !== undefined);
  return Number(/:(\d+)$/.exec(said() ?? '')?.[1]);
}

const statusOf = async (port: number, path: string) =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

describe('an application without HTTP', () => {
  test('a context serves the endpoints on healthPort, and closes them', async () => {
    const { App, messages } = appModule({ healthPort: 0, probes: true });
    const app = await NestFactory.createApplicationContext(App, quiet);
    const port = await portOf(messages);
    expect(
      await Promise.all(
        ['/__lbheartbeat__', '/__heartbeat__', '/readyz', '/'].map((path) => statusOf(port, path)),
      ),
    ).toEqual([200, 200, 200, 404]);
    await app.close();
    await expect(statusOf(port, '/__lbheartbeat__')).rejects.toThrow('fetch failed');
  });

  test('a microservice does on PORT, beside its transport', async () => {
    class Orders {
      answer() {
        return 'here';
      }
    }
    on(Orders.prototype, 'answer', MessagePattern('where'));
    const { App, messages } = appModule({ worker: true }, { controllers: [Orders] });
    vi.stubEnv('PORT', String(await freePort()));
    const transport = {
      transport: Transport.TCP,
      options: { host: '127.0.0.1', port: await freePort() },
    } as const;
    const app = await NestFactory.createMicroservice(App, { ...quiet, ...transport });
    onTestFinished(() => app.close());
    await app.listen();
    const port = await portOf(messages);
    expect(String(port)).toBe(process.env['PORT']);
    expect(await statusOf(port, '/__lbheartbeat__')).toBe(200);
  });

  test('opens no port under test unless it is told to, and none where it is told not to', async () => {
    const { App, messages } = appModule({});
    await context(App);
    vi.stubEnv('HEALTH_PORT', '0');
    const other = appModule({ worker: false });
    await context(other.App);
    await turn();
    expect([...messages(), ...other.messages()]).toEqual([]);
    vi.stubEnv('HEALTH_PORT', '');
    vi.stubEnv('NODE_ENV', 'production');
    vi.stubEnv('PORT', '0');
    const usual = appModule({});
    await context(usual.App);
    expect(await statusOf(await portOf(usual.messages), '/__lbheartbeat__')).toBe(200);
  });

  test('says what to write where the port is taken', async () => {
    const { port } = new URL(await listening(createServer()));
    const taken = appModule({ healthPort: Number(port) });
    await context(taken.App);
    await until(() => taken.messages().length > 0);
    expect(taken.messages()).toEqual([expect.stringContaining('worker: false')]);
  });
});

describe('an application without HTTP that is told to end', () => {
  /** Sends the signal to the hooks of the application, as Nest would. */
  const end = (app: object, signal: string): Promise<void> =>
    Reflect.apply(Reflect.get(app, 'callBeforeShutdownHook'), app, [signal]);

  test('waits for its jobs, with /__lbheartbeat__ on 503 until then', async () => {
    const { App, messages, records } = appModule({ healthPort: 0, drain: { failLbheartbeat: true } });
    const app = await context(App);
    const port = await portOf(messages);
    const work = deferred();
    const running = job(app.get(Health), 'mail', 1, () => work.promise);
    const ended = end(app, 'SIGTERM');
    await until(async () => (await statusOf(port, '/__lbheartbeat__')) === 503);
    work.resolve();
    await Promise.all([running, ended]);
    expect(records.filter(({ logger }) => logger === 'job.summary')).toMatchObject([
      { fields: { errno: 0 } },
    ]);
    expect(messages().slice(-2)).toEqual([
      'Draining (SIGTERM): taking no more work, 1 job is in progress',
      'Drained: the framework ends the process',
    ]);
  });

  test('closes workers of BullMQ and those of processors of @nestjs/bullmq, each once', async () => {
    const closed: string[] = [];
    const worker = (name: string) => ({
      run: () => {},
      isRunning: () => true,
      pause: () => {},
      resume: () => {},
      close: async () => void closed.push(name),
    });
    const own = worker('own');
    const hosted = worker('hosted');
    const unstarted = {
      get worker() {
        throw new Error('"Worker" has not yet been initialized.');
      },
    };
    const { App } = appModule(
      { healthPort: 0 },
      {
        providers: [
          { provide: 'own', useValue: own },
          { provide: 'processor', useValue: { worker: hosted } },
          { provide: 'again', useValue: hosted },
          { provide: 'unstarted', useValue: unstarted },
        ],
      },
    );
    await end(await context(App), 'SIGTERM');
    expect(closed.toSorted()).toEqual(['hosted', 'own']);
  });
});

test('a microservice that inherits the filters answers as without lifesign', async () => {
  class Orders {
    order() {
      throw new Error('order is broken');
    }
  }
  Controller()(Orders);
  on(Orders.prototype, 'order', MessagePattern('order'));
  const { app } = await create({}, { controllers: [Orders] });
  const transport = {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  } as const;
  app.connectMicroservice<MicroserviceOptions>(transport, { inheritAppConfig: true });
  await app.startAllMicroservices();
  const client = ClientProxyFactory.create(transport);
  onTestFinished(() => client.close());
  await expect(firstValueFrom(client.send('order', {}))).rejects.toMatchObject({
    status: 'error',
    message: 'Internal server error',
  });
});
