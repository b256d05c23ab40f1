import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { directoryWith, start } from './start.js';

// As Next.js does it: it listens, and starts in its listener for `listening`.
const application = `
import { createServer } from 'node:http';
process.title = 'next-server (v16.4.6)';
let go;
const server = createServer((req, res) => {
  if (req.url === '/go') go();
  res.end('ok');
});
server.on('listening', async () => {
  await new Promise((resolve) => (go = resolve));
});
server.listen(process.env.PORT);
`;

it('a framework that listens before it has started is not ready until then', async () => {
  const cwd = directoryWith({ 'app.mjs': application });
  const { origin } = await start(['app.mjs'], { cwd, env: { HEALTH_PROBES: 'true' } });
  const status = async (path: string) => (await fetch(`${origin}${path}`)).status;
  expect(await status('/readyz')).toBe(503);
  expect(await status('/startupz')).toBe(503);
  expect(await status('/livez')).toBe(200);
  await status('/go');
  await until(async () => (await status('/readyz')) === 200);
  expect(await status('/startupz')).toBe(200);
});

// Next.js says that it is ready while `register()` of instrumentation.js goes on, which its requests wait for.
const next = `
const { createServer } = require('node:http');
process.title = 'next-server (v16.4.6)';
const { ensureInstrumentationRegistered } = require('./instrumentation-globals.external.js');
const server = createServer((req, res) => {
  if (req.url === '/go') globalThis.go();
  if (req.url === '/fail') globalThis.fail();
  res.end('ok');
});
server.on('listening', async () => {
  ensureInstrumentationRegistered(__dirname, '.next').catch(() => {});
});
server.listen(process.env.PORT);
`;
const globals = `
const { join } = require('node:path');
let promise;
exports.ensureInstrumentationRegistered = (dir, distDir) =>
  (promise ??= require(join(dir, distDir, 'server', 'instrumentation.js')).register());
`;
const instrumentation = `
exports.register = () =>
  new Promise((resolve, reject) => Object.assign(globalThis, { go: resolve, fail: () => reject(new Error('no')) }));
`;

it.each([
  ['/go', 200],
  ['/fail', 503],
])('Next.js is ready after register() has ended, and never if that fails: %s', async (path, then) => {
  const cwd = directoryWith({ 'app.cjs': next, 'instrumentation-globals.external.js': globals });
  mkdirSync(join(cwd, '.next/server'), { recursive: true });
  writeFileSync(join(cwd, '.next/server/instrumentation.js'), instrumentation);
  const { origin, lines } = await start(['app.cjs'], { cwd, env: { HEALTH_PROBES: 'true' } });
  const status = async (asked: string) => (await fetch(`${origin}${asked}`)).status;
  expect(await status('/readyz')).toBe(503);
  expect(await status(path)).toBe(200);
  if (then === 200) await until(async () => (await status('/readyz')) === 200);
  expect(await status('/startupz')).toBe(then);
  expect(lines().some(({ Fields }) => Fields['msg'] === 'startupz passes')).toBe(then === 200);
});
