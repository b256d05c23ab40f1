// Each tab of docs/getting-started.md, run as a reader would, while its database is down.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root, snippetsOf } from '../examples/snippets.js';
import { json, startTypeScript } from '../examples/tsx-app.js';
import { freePort } from '../services/port.js';

const snippets = await snippetsOf('docs/getting-started.md');
const tabs = snippets.filter(({ note, code }) => /^\[\w+\]$/.test(note) && code.includes('new Pool()'));
const shown = JSON.parse(snippets.find(({ language }) => language === 'json')?.code ?? '{}');

/** The page leaves it to docs/nestjs.md how an application listens. */
const main = `import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { listenOptions } from 'lifesign/nestjs';
import { AppModule } from './app.js';

const app = await NestFactory.create(AppModule, { logger: false });
const { host, port } = listenOptions();
await app.listen(port, host);
`;

test('the page has four tabs', () => {
  expect(tabs.map(({ note }) => note)).toEqual(['[Express]', '[Fastify]', '[NestJS]', '[Hono]']);
});

test.each(tabs)(
  '$note: the heartbeat has the cause that the page shows',
  async ({ note, language, code }) => {
    await mkdir(join(root, '.tmp'), { recursive: true });
    const directory = await mkdtemp(join(root, '.tmp/started-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const settings = {
      compilerOptions: { experimentalDecorators: true, target: 'es2022', module: 'nodenext' },
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(settings));
    await writeFile(join(directory, `app.${language}`), code);
    await writeFile(join(directory, 'main.ts'), main);
    const port = String(await freePort());
    const isNest = note === '[NestJS]';
    const running = await startTypeScript(directory, isNest ? 'main.ts' : 'app.js', {
      PGHOST: '127.0.0.1',
      PGPORT: port,
    });
    onTestFinished(() => running.stop());
    const { status, body } = await json(running, '/__heartbeat__');
    const found = JSON.parse(JSON.stringify(body).replace(`:${port}`, ':5432'));
    expect(status).toBe(500);
    // NestJS has a second check by default, as the page says.
    expect(found).toMatchObject(shown);
    expect(Object.keys(found.checks)).toEqual([
      'check_database_connected',
      ...(isNest ? ['check_migrations_applied'] : []),
    ]);
  },
);
