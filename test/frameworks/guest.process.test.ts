import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { chosen, whole } from '../whole.js';
import { compiled, withoutCompilers } from '../compiled/index.js';

const run = promisify(execFile);
const app = compiled(new URL('guest-app.ts', import.meta.url));
/** How many applications: a heap that grows slowly shows only with many of them, once all code is warm. */
const [count, warm] = whole ? [500, 40] : [4, 2];

interface Look {
  readonly heap: number;
  readonly listeners: readonly string[];
  readonly callbacks: number;
}
interface Seen {
  readonly touched: readonly string[];
  readonly left: readonly string[];
  readonly early: Look;
  readonly late: Look;
}

/** Fastify takes no other generator of ids once it has started: ours passes on to its own. */
const stays: Readonly<Record<string, readonly string[]>> = { fastify: ['app.genReqId'] };

const frameworks = ['node', 'express', 'express4', 'koa', 'fastify', 'hono', 'fetch', 'nestjs', 'adonisjs'];

const page = await readFile(join(import.meta.dirname, '../../docs/what-lifesign-touches.md'), 'utf8');
const titles: Readonly<Record<string, string>> = {
  node: 'node:http',
  express: 'Express',
  express4: 'Express',
  koa: 'Koa',
  fastify: 'Fastify',
  hono: 'Hono',
  fetch: 'fetch',
  adonisjs: 'AdonisJS',
};

/** The first column of the framework's table. */
function listedFor(framework: string): readonly string[] {
  const section = page.split(`## ${titles[framework]}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name).toSorted();
}

test.each(chosen(frameworks, 'express', 'fastify', 'nestjs'))(
  '%s: applications that are closed leave nothing behind',
  { timeout: 900_000 },
  async (framework) => {
    const args = [...withoutCompilers, '--expose-gc', app, framework, String(count), String(warm)];
    const { stdout } = await run(process.execPath, args);
    const { touched, left, early, late }: Seen = JSON.parse(stdout);
    console.log(`[guest] ${framework}: ${count} applications, heap ${early.heap} -> ${late.heap}`);
    if (framework in titles) expect(touched).toEqual(listedFor(framework));
    expect(left).toEqual(stays[framework] ?? []);
    expect(late.listeners).toEqual(early.listeners);
    expect(late.callbacks).toBe(0);
    // Half of them were not even closed. After 500 it is 0 to 0.7 MB, on most frameworks no more than after 100.
    if (whole) expect(late.heap - early.heap).toBeLessThan(600_000 + count * 1000);
  },
);
