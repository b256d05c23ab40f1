import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health as FastifyHealth, health as fastifyPlugin } from 'lifesign/fastify';
import { hosts } from '../conformance/hosts/index.js';
import { turn, until } from '../core/waiting.js';
import { collect } from '../http/serving.js';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
/** The majors that lifesign is tested with. */
const majorsOf = (peer: string): readonly string[] =>
  manifest.peerDependencies[peer].split(' || ').map((range: string) => range.slice(1));

// An application that has other versions installed.
const root = mkdtempSync(join(tmpdir(), 'lifesign-newer-'));
const { argv } = process;
const [, started = ''] = argv;
afterAll(() => {
  argv[1] = started;
  rmSync(root, { recursive: true });
});

function install(peer: string, version: string): void {
  const directory = join(root, 'node_modules', peer);
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: peer, version, exports: {} }));
  writeFileSync(join(root, 'package.json'), '{}');
  argv[1] = join(root, 'server.js');
}

const warningsIn = (records: readonly LogRecord[]) =>
  records.flatMap(({ msg = '', level }) => (msg.includes(' is newer than ') ? [{ msg, level }] : []));

test('the docs have the majors of package.json, which are optional and bounded', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/what-lifesign-touches.md'), 'utf8');
  for (const [name, peer] of Object.entries({
    Express: 'express',
    Koa: 'koa',
    Hono: 'hono',
    Fastify: 'fastify',
  })) {
    expect(page).toMatch(new RegExp(`^\\| ${name} \\| ${majorsOf(peer).join(', ')}(?:,| \\|)`, 'm'));
  }
  const optional = Object.keys(manifest.peerDependencies).map((peer) => [peer, { optional: true }]);
  expect(manifest.peerDependenciesMeta).toEqual(Object.fromEntries(optional));
});

// A process compares a framework once: this file has a worker of its own.
test.each([
  ['Express 5', 'express', '99.1.0', 1],
  ['Hono', 'hono', '99.1.0', 1],
  ['NestJS on Express', '@nestjs/core', '99.1.0', 1],
  ['AdonisJS 6', '@adonisjs/core', '99.1.0', 1],
  ['Koa 3', 'koa', '3.999.0', 0],
])('%s: a newer version of %s, %s, is %i warning, and serves', async (name, peer, version, count) => {
  const host = hosts.find((each) => each.name === name);
  if (host === undefined) throw new Error(`No host ${name}`);
  install(peer, version);
  const first = await host.start({});
  const second = await host.start({});
  await until(() => warningsIn(first.records).length === count);
  await turn();
  expect((await fetch(`${first.origin}/__lbheartbeat__`)).status).toBe(200);
  const warnings = warningsIn([...first.records, ...second.records]);
  expect(warnings.map(({ level }) => level)).toEqual(count === 1 ? [30] : []);
  await first.close();
  await second.close();
});

/** A Fastify that says another version, as its plugins see it. */
function fastifyOf(version: string): FastifyInstance {
  return Object.defineProperty(Fastify(), 'version', { value: version });
}

test('Fastify: a newer version is one warning, also for the plugin', async () => {
  const { records, logger } = collect();
  const app = fastifyOf('6.0.0');
  new FastifyHealth(app, { logger });
  await app.ready();
  await until(() => warningsIn(records).length === 1);
  expect(warningsIn(records)[0]?.msg).toMatch(
    /^Fastify 6\.0\.0 is newer than the versions that lifesign is tested with \(5\)\./,
  );
  const registering = fastifyOf('6.0.0');
  await registering.register(fastifyPlugin, { logger });
  expect((await registering.inject('/__lbheartbeat__')).statusCode).toBe(200);
  await turn();
  expect(warningsIn(records)).toHaveLength(1);
  await app.close();
  await registering.close();
});
