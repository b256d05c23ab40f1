import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { versionOf } from '../../checks/clients/client.js';
import { expectPassed, type Row } from '../../checks/matrix.js';
import { exercise } from './exercise.js';
import { dialectLibraries } from './libraries.js';
import type { Place } from './place.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifesign-dialects-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('migrations on SQLite', () => {
  const seen: Row[] = [];
  const libraries = dialectLibraries.filter(({ onSqlite }) => onSqlite !== false);

  for (const [index, library] of libraries.entries()) {
    it(`${library.name} ${versionOf(library.package)}`, async () => {
      const files = join(folder, `sqlite-${index}`);
      const data = join(folder, `data-${index}`);
      await Promise.all([mkdir(files), mkdir(data)]);
      // Opening makes the file where there is none, and that is no writing of ours.
      await writeFile(join(data, 'base.db'), '');
      const place: Place = {
        dialect: 'sqlite',
        folder: files,
        port: 0,
        user: '',
        database: '',
        file: join(data, 'base.db'),
      };
      // Every byte, and every file beside it.
      const state = async () => {
        const names = (await readdir(data)).toSorted();
        const digest = async (name: string) =>
          createHash('sha256')
            .update(await readFile(join(data, name)))
            .digest('hex');
        return Promise.all(names.map(async (name) => [name, await digest(name)]));
      };
      await exercise(library, { place, reader: place, state });
      seen.push({ client: library.name, version: versionOf(library.package) });
    });
  }

  it('contributing/clients.md lists exactly these libraries, and they passed', () =>
    expectPassed('Libraries on SQLite', libraries, libraries, seen));
});
