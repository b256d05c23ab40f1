import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** What the compiler says of a program that uses lifesign wrongly. */
async function complaints(program: string): Promise<string> {
  await mkdir(join(root, '.tmp'), { recursive: true });
  const directory = await mkdtemp(join(root, '.tmp/types-'));
  try {
    await writeFile(join(directory, 'wrong.mts'), program);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--lib',
      'es2023,dom,dom.iterable',
      '--target',
      'es2022',
    ];
    return await new Promise((resolve) => {
      execFile(process.execPath, [tsc, ...flags, join(directory, 'wrong.mts')], (_error, stdout) =>
        resolve(stdout),
      );
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

it('a check that returns something else is explained as such', async () => {
  const said = await complaints(`
import { Health } from '../../src/frameworks/express.js';
const health = new Health();
health.check('boolean', () => true);
health.check('texts', async () => ['Slow']);
`);
  expect(said).toContain("'boolean' is not assignable to type");
  expect(said).toContain('CheckOutcome');
  expect(said).not.toContain('CheckOptions');
});

it('the first line about a wrong client names it and the option it cannot be', async () => {
  const said = await complaints(`
import type { Redis } from 'ioredis';
import { Health, type HealthOptions } from '../../src/frameworks/express.js';
declare const redis: Redis;
new Health({ db: redis });
const options: HealthOptions = { db: redis };
new Health(undefined, { db: 'postgres://localhost' });
`);
  const first = said.split('\n').filter((line) => /^\S/.test(line));
  expect(first).toHaveLength(3);
  for (const line of first) {
    expect(line).toMatch(/Type '\w+' is not assignable to type 'OneOrMore<DatabaseClient> \| undefined'\.$/);
  }
  expect(said).not.toContain('overload');
});

it('app.health of Fastify is typed for whoever imports the plugin, and for nobody else', async () => {
  const program = (entry: string) => `
import Fastify from 'fastify';
import health from '../../src/frameworks/fastify/${entry}.js';
const app = Fastify();
await app.register(health, { summary: false });
app.health.check('storage', () => []);
`;
  expect(await complaints(program('plugin'))).toBe('');
  expect(await complaints(program('index'))).toContain("Property 'health' does not exist");
});
