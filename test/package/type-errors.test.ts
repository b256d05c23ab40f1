import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { entries } from '../../scripts/entries.mjs';

const root = join(import.meta.dirname, '../..');

/** The sources of an entry, from the folder of the programs. */
const from = (entry: string) => `../../${entries[entry]?.replace(/\.ts$/, '.js')}`;

const fastify = (entry: string) => `
import Fastify from 'fastify';
import health from '${from(entry)}';
const app = Fastify();
await app.register(health, { summary: false });
app.health.check('storage', () => []);
`;

/** Programs that use lifesign wrongly, and one that does not. */
const programs = {
  client: `
import type { Redis } from 'ioredis';
import { Health, type HealthOptions } from '${from('lifesign/express')}';
declare const redis: Redis;
new Health({ db: redis });
const options: HealthOptions = { db: redis };
new Health(undefined, { db: 'postgres://localhost' });
`,
  plugin: fastify('lifesign/fastify/plugin'),
};

/** What the compiler says of each; all of them at once, since most of its time goes into the types of others. */
async function complaints<Name extends string>(
  files: Readonly<Record<Name, string>>,
): Promise<(name: Name) => string> {
  await mkdir(join(root, '.tmp'), { recursive: true });
  const directory = await mkdtemp(join(root, '.tmp/types-'));
  try {
    const paths = Object.keys(files).map((name) => join(directory, `${name}.mts`));
    const texts: readonly string[] = Object.values(files);
    await Promise.all(paths.map((path, index) => writeFile(path, texts[index] ?? '')));
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
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [tsc, ...flags, ...paths], (_error, stdout) => resolve(stdout));
    });
    // A complaint begins at the start of a line, with its file.
    const all = said.split(/\n(?=\S)/);
    return (name) => all.filter((each) => each.includes(`/${name}.mts(`)).join('\n');
  } finally {
    await rm(directory, { recursive: true });
  }
}

const said = await complaints(programs);

it('the first line about a wrong client names it and the option it cannot be', () => {
  const first = said('client')
    .split('\n')
    .filter((line) => /^\S/.test(line));
  expect(first).toHaveLength(3);
  for (const line of first) {
    expect(line).toMatch(/Type '\w+' is not assignable to type 'OneOrMore<DatabaseClient> \| undefined'\.$/);
  }
  expect(said('client')).not.toContain('overload');
});

it('app.health of Fastify is typed for whoever imports the plugin, and for nobody else', async () => {
  expect(said('plugin')).toBe('');
  // Alone: the declaration of the plugin holds for all files of a program.
  const alone = await complaints({ index: fastify('lifesign/fastify') });
  expect(alone('index')).toContain("Property 'health' does not exist");
});
