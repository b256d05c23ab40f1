// The snippets of docs/workers.md and the checks of docs/checks.md for other libraries, run as they are written, where their library runs without a server of its own.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient } from '@libsql/client';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Transport } from '@nestjs/microservices';
import { CronJob } from 'cron';
import { Cron } from 'croner';
import * as nodeCron from 'node-cron';
import { create_container } from 'rhea';
import { firstValueFrom } from 'rxjs';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checks, Health } from 'lifesign/node';
import { deferred } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { snippetsOf } from '../examples/snippets.js';

const page = 'docs/workers.md';
const all = await snippetsOf(page);

/** A call that the page writes within a sentence. */
const inProse = (call: string) =>
  Array.from(readFileSync(page, 'utf8').matchAll(/`([^`\n]+)`/g), ([, code = '']) => code).find((code) =>
    code.startsWith(call),
  ) ?? '';

/** A check from the table of docs/checks.md, registered as the page says. */
const checkOf = (client: string) => {
  const [, code = ''] =
    new RegExp(`^\\| ${client}[^|]*\\| \`([^\`]+)\` \\|$`, 'm').exec(
      readFileSync('docs/checks.md', 'utf8'),
    ) ?? [];
  expect(code, client).not.toBe('');
  return `health.check('other', async () => { ${code} }, { scope: 'shared' });`;
};

/** Runs snippets one after the other, in a Health; `'1m'` is short here. Returns the names that the test uses. */
async function run<Returned = unknown>(
  contents: readonly string[],
  given: Readonly<Record<string, unknown>>,
  returned: string,
  edit = (code: string) => code,
) {
  const health = new Health(createServer(), { logger: false, timeout: 2000 });
  onTestFinished(() => health.close());
  const code = contents.map((content) => {
    if (content.startsWith('health.check(')) return content;
    const found = all.filter((each) => each.code.includes(content));
    expect(found.length, `${page}: ${content}`).toBe(1);
    return edit(found[0]?.code.replace("'1m'", '50') ?? '');
  });
  const names = { health, checks, ...given };
  const source = `export default async ({ ${Object.keys(names).join()} }) => { ${code.join('\n')}; return ${returned}; };`;
  const { default: snippet }: { default: (given: object) => Promise<Returned> } = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`
  );
  const found = await snippet(names);
  const ids = async () =>
    (await health.heartbeat()).results.flatMap(({ messages }) => messages.map(({ id }) => id));
  return { found, see: (expected: readonly string[]) => expect.poll(ids).toEqual(expected) };
}

/** Work that hangs until it is released. */
function hanging() {
  const { promise, resolve } = deferred();
  return { work: vi.fn(() => promise), release: resolve };
}

const handler = 'async function handle(message)';

test('any queue: a handler that hangs is no progress', async () => {
  const { work, release } = hanging();
  const { found: handle, see } = await run<(message: string) => Promise<void>>([handler], { work }, 'handle');
  await see([]);
  void handle('one');
  await see(['health.E036']);
  release();
  await see([]);
});

test('rhea: the connection, and messages that are not finished', async () => {
  const { work, release } = hanging();
  const broker = create_container();
  let drop: () => unknown = () => {};
  broker.once('sendable', ({ sender, connection }) => {
    drop = () => Reflect.get(connection, 'socket').destroy();
    sender?.send({ body: 'one' });
  });
  const server: Server = broker.listen({ port: 0 });
  await expect.poll(() => server.listening).toBe(true);
  const { port } = server.address() as AddressInfo;
  const container = create_container();
  container.on('disconnected', () => {});
  const connection = container.connect({ host: '127.0.0.1', port, reconnect: false });
  connection.open_receiver('orders');
  const { found: handle, see } = await run<(message: unknown) => Promise<void>>(
    [handler, checkOf('AMQP')],
    { work, connection },
    'handle',
  );
  container.on('message', ({ message }) => void handle(message));
  await see(['health.E036']);
  expect(work).toHaveBeenCalledOnce();
  release();
  await see([]);
  drop();
  server.close();
  await see(['health.E011']);
});

test('libSQL: a statement', async () => {
  const client = createClient({ url: `file:${tmpdir()}/lifesign-recipe-${process.pid}.db` });
  const { see } = await run([checkOf('libSQL')], { client }, '0');
  await see([]);
  client.close();
  await see(['health.E011']);
});

describe('schedulers', () => {
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['new Cron(', { Cron }, 'job.trigger()'],
    ['cron.schedule(', { cron: nodeCron }, 'job.execute()'],
    ['CronJob.from(', { CronJob }, 'job.fireOnTick()'],
  ] as const)('%s…): a run that is overdue', async (call, library, start) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const { found: begin, see } = await run<() => void>(
      ['let lastRun'],
      { work: async () => {}, ...library },
      `() => ${start}`,
      (code) =>
        code.replace(/new Cron\(.*\)(?=;)/, (croner) => (call === 'new Cron(' ? croner : inProse(call))),
    );
    await see([]);
    vi.advanceTimersByTime(66 * 60_000);
    await see(['health.E039']);
    begin();
    await see([]);
  });
});

test('NestJS: a message that has to be answered', async () => {
  class Math {
    ping() {
      return 'pong';
    }
  }
  class App {}
  const ping = Object.getOwnPropertyDescriptor(Math.prototype, 'ping') ?? {};
  MessagePattern({ cmd: 'ping' })(Math.prototype, 'ping', ping);
  Controller()(Math);
  Module({ controllers: [Math] })(App);
  const port = await freePort();
  const options = { host: '127.0.0.1', port };
  const app = await NestFactory.createMicroservice(App, { transport: Transport.TCP, options, logger: false });
  await app.listen();
  const client = ClientProxyFactory.create({ transport: Transport.TCP, options });
  onTestFinished(() => client.close());
  const { see } = await run([checkOf('NestJS')], { client, firstValueFrom }, '0');
  await see([]);
  await app.close();
  await see(['health.E011']);
});
