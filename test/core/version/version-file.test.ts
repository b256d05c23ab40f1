import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import { makeHealth } from '../make-health.js';

const version = async (versionPath: string) => {
  const { health, records } = makeHealth({ versionPath });
  const ask = async () => (await engineOf(health).handle('GET', '/__version__', undefined))?.body;
  return { ask, records };
};

test('a file that has rested is served from memory, and a change of it is seen at once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-version-'));
  try {
    const file = join(directory, 'version.json');
    await writeFile(file, '{"version":"1"}');
    // Some runtimes tell the time of a change in whole seconds: a younger file is read each time.
    await new Promise((resolve) => setTimeout(resolve, 2100));
    const { ask } = await version(directory);
    expect(await ask()).toBe('{"version":"1"}');
    expect(await ask()).toBe('{"version":"1"}');
    await writeFile(file, '{"version":"2"}');
    expect(await ask()).toBe('{"version":"2"}');
    await rm(file);
    expect(await ask()).toBe('{"error":"version.json not found"}');
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a path that the system refuses is told without the path', async () => {
  const { ask, records } = await version('/srv/secret\0place');
  expect(await ask()).toBe('{"error":"version.json cannot be read"}');
  expect(records.map(({ logger, level }) => [logger, level])).toEqual([['health', 40]]);
});
