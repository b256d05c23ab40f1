import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { withoutFolders } from '../../../src/core/scrub/printable.js';
import { makeHealth } from '../make-health.js';

const folder = '/srv/acme-internal/app';

describe('paths in what everybody may read', () => {
  test.each([
    [
      "ENOENT: no such file or directory, open '/srv/app/config.json'",
      "ENOENT: no such file or directory, open 'config.json'",
    ],
    [
      "EACCES: permission denied, scandir '/srv/my app/data files'",
      "EACCES: permission denied, scandir 'data files'",
    ],
    [
      "Cannot find module '/app/x.js' imported from /app/server.js",
      "Cannot find module 'x.js' imported from server.js",
    ],
    ['Cannot find module "file:///app/checks/x.mjs"', 'Cannot find module "x.mjs"'],
    ['failed in file:///app/checks/x.mjs:10:5', 'failed in x.mjs:10:5'],
    ["open 'C:\\Users\\bob\\app\\x.json'", "open 'x.json'"],
    ['open C:\\Users\\bob\\x.json now', 'open x.json now'],
    ['open \\\\server\\share\\x.json', 'open x.json'],
    ['connect ENOENT /var/run/postgresql/.s.PGSQL.5432', 'connect ENOENT .s.PGSQL.5432'],
    ['sqlite:///srv/data/app.db is locked', 'app.db is locked'],
    ['config=/etc/acme/app.conf', 'config=app.conf'],
    ['at:/srv/app/x.js', 'at:x.js'],
    ['Require stack:\n- /app/server.js\n- /app/lib/index.js', 'Require stack:\n- server.js\n- index.js'],
  ])('%s', (text, shown) => expect(withoutFolders(text)).toBe(shown));

  test.each([
    'GET /api/orders 404',
    'https://example.org/a/b/c refused',
    'status 500 of https://search:9200/_cluster/health',
    'and/or, 3/4, 12/24/2026',
    './checks/storage.js is missing',
    'application/json is expected',
    '@nestjs/core/injector',
    'postgres://***@db/app',
  ])('%s stays', (text) => expect(withoutFolders(text)).toBe(text));

  it('no folder of an error of files or modules is in the body; the log has it', async () => {
    const require = createRequire(import.meta.url);
    const { health, records, report } = makeHealth();
    health.check('reads', async () => void (await readFile(`${folder}/my secrets/x.json`)));
    health.check('requires', () => require(`${folder}/x.cjs`));
    health.check('imports', async () => void (await import(/* @vite-ignore */ `${folder}/x.mjs`)));
    const { body } = await report();
    expect(JSON.stringify(body)).not.toContain('acme-internal');
    expect(JSON.stringify(body)).toContain("open 'x.json'");
    expect(JSON.stringify(body)).toContain('x.cjs');
    const errors = records.map(({ error }) => String(error));
    expect(errors.filter((text) => text.includes('acme-internal')).length).toBeGreaterThanOrEqual(2);
  });

  it('whatever the path and wherever it stands', () => {
    const part = fc.stringMatching(/^[\w.@+~-]{3,12}$/);
    const around = fc.constantFrom(
      (path: string) => `open '${path}'`,
      (path: string) => `"${path}" is missing`,
      (path: string) => `cannot read ${path}`,
      (path: string) => `(${path})`,
      (path: string) => `path=${path}, code=1`,
      (path: string) => `in file://${path}`,
      (path: string) => `ENOENT: ${path}\nsecond line`,
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), around, (parts, inside) => {
        const shown = withoutFolders(inside(`/hidden-folder/${parts.join('/')}/file.txt`));
        expect(shown).toContain('file.txt');
        expect(shown).not.toContain('hidden-folder');
      }),
    );
  });
});
