import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { freePort } from '../services/port.js';
import { chosen } from '../whole.js';

const root = resolve(import.meta.dirname, '../..');
const examples = join(root, 'examples/static-files');
const programs = readdirSync(examples).map(
  (file) => [file.replace('.mjs', ''), readFileSync(join(examples, file), 'utf8')] as const,
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lifesign-static-'));
  cpSync(join(root, 'examples/container/public'), join(folder, 'public'), { recursive: true });
  const packages = [
    'express',
    'fastify',
    '@fastify/static',
    'koa',
    'koa-static',
    'hono',
    '@hono/node-server',
    'sirv',
  ];
  for (const name of packages) link(join(root, 'node_modules', name), name);
  link(inject('built'), 'lifesign');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function link(target: string, name: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

test('there is a program for each framework that brings or takes a static layer', () => {
  expect(programs.map(([name]) => name).toSorted()).toEqual(['express', 'fastify', 'hono', 'koa', 'node']);
});

test.each(chosen(programs, 'express', 'fastify'))(
  '%s: assets for a year, pages not, a missing asset neither',
  async (name, code) => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    const port = await freePort();
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      env: { PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    try {
      const ask = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        await response.text();
        return [response.status, response.headers.get('cache-control')];
      };
      await vi.waitFor(() => ask('/__lbheartbeat__'), { timeout: 20_000, interval: 100 });
      expect(await ask('/assets/shop.7c9e2f41.js')).toEqual([
        200,
        expect.stringMatching(/^(public, ?)?max-age=31536000, ?immutable$/),
      ]);
      expect(await ask('/')).toEqual([200, expect.stringContaining('no-cache')]);
      const [status, cache] = await ask('/assets/shop.00000000.js');
      expect(status).toBe(404);
      expect(String(cache)).not.toContain('max-age=31536000');
      expect(await ask('/__lbheartbeat__')).toEqual([200, 'no-store']);
    } finally {
      child.kill();
      await ended;
    }
  },
);
