import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importPath } from '../../../src/profiles/settings/import-path.js';

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'lifesign-import-'));
  const files: Record<string, string> = {
    'package.json': '{"name":"acme","type":"module","imports":{"#checks/*":"./checks/*.js"}}',
    'checks/storage.js': 'export function storageReachable() { return []; }\nexport const limit = 3;',
    'checks/default.js': 'export default function nightly() { return []; }',
    'checks/broken.js': 'throw new Error("no bucket configured, token=hunter2");',
    'checks/needs.js': 'import "./gone.js";\nexport const never = () => [];',
    'checks/syntax.js': 'export const = 1;',
    'acme/mail/index.js': 'export const reachable = () => [];',
    'acme/queue.mjs': 'export const empty = () => [];',
    'legacy.cjs': 'const late = {}; late.alive = () => []; module.exports = late;',
    'node_modules/pack/package.json':
      '{"name":"pack","type":"module","exports":{"./checks":{"import":"./checks.js"},".":{"import":"./main.js"}}}',
    'node_modules/pack/checks.js': 'export const packed = () => [];',
    'node_modules/pack/main.js': 'export const main = () => [];',
    'node_modules/@acme/pack.js/package.json':
      '{"name":"@acme/pack.js","type":"module","exports":"./main.js"}',
    'node_modules/@acme/pack.js/main.js': 'export const scoped = () => [];',
  };
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), text);
  }
});
afterAll(() => rm(base, { recursive: true }));

describe('an import path leads to', () => {
  test.each([
    ['a relative file', './checks/storage.js.storageReachable', 'storageReachable'],
    ['a default export', './checks/default.js.default', 'default'],
    ['a subpath of the project', '#checks/storage.storageReachable', 'storageReachable'],
    ['a package', 'pack.main', 'main'],
    ['a subpath of a package that knows import() alone', 'pack/checks.packed', 'packed'],
    ['a package with a scope and a dot', '@acme/pack.js.scoped', 'scoped'],
    ['a dotted path of folders', 'checks.storage.storageReachable', 'storageReachable'],
    ['a dotted path to a folder with an index', 'acme.mail.reachable', 'reachable'],
    ['a dotted path to an .mjs file', 'acme.queue.empty', 'empty'],
    ['a CommonJS file whose exports cannot be seen from outside', './legacy.cjs.alive', 'alive'],
    ['a built-in module', 'node:path.join', 'join'],
  ])('%s', async (_, path, name) => {
    const found = await importPath('HEALTH_CHECKS', path, base);
    expect(found.name).toBe(name);
    expect(found.value).toBeTypeOf('function');
  });

  test('what is exported, whatever it is', async () => {
    expect(await importPath('HEALTH_CHECKS', './checks/storage.js.limit', base)).toEqual({
      name: 'limit',
      value: 3,
    });
  });

  test('the module that the project itself imports', async () => {
    const own: Record<string, unknown> = await import(join(base, 'checks/storage.js'));
    const { value } = await importPath('HEALTH_CHECKS', '#checks/storage.storageReachable', base);
    expect(String(value)).toBe(String(own['storageReachable']));
  });
});

describe('an import path is refused with its reason', () => {
  test.each([
    ['no export', 'storage', 'it does not name an export'],
    ['nothing before the dot', '.storage', 'it does not name an export'],
    ['nothing behind the dot', './checks/storage.js.', 'it does not name an export'],
    ['an export that cannot be a name', './checks/storage.js.a-b', 'it does not name an export'],
    ['no such file', './checks/gone.js.a', 'Cannot find module'],
    ['no such package', 'nowhere/checks.a', "Cannot find package 'nowhere'"],
    ['no such subpath', '#nope/storage.a', '"#nope/storage" is not defined'],
    ['a subpath that the package keeps to itself', 'pack/main.js.main', 'is not defined by "exports"'],
    [
      'no such export',
      './checks/storage.js.gone',
      'no export gone; its exports are: limit, storageReachable',
    ],
    ['a module that throws', './checks/broken.js.a', 'Error: no bucket configured'],
    ['a module that imports what is not there', './checks/needs.js.never', 'gone.js'],
    ['a module with a syntax error', './checks/syntax.js.a', 'SyntaxError'],
  ])('%s', async (_, path, reason) => {
    const refused = importPath('HEALTH_CHECKS', path, base);
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
    await expect(refused).rejects.toThrow(`HEALTH_CHECKS has "${path}"`);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.not.toThrow('hunter2');
  });
});
