import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { applicationRoot, parentOf, workingDirectory } from '../../../src/core/version/application-root.js';

let directory = '';
const [node = '', script = ''] = process.argv;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'lifesign-root-')));
});
afterEach(() => {
  process.argv[0] = node;
  process.argv[1] = script;
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true });
});

function file(name: string): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  return path;
}

/** The root of an application whose script was started like this, below the directory of the test. */
function rootOf(started: string): string {
  process.argv[1] = started;
  return applicationRoot().slice(directory.length + 1);
}

it('is the nearest directory with a package.json, links followed', () => {
  file('app/package.json');
  const real = file('app/dist/src/server.js');
  expect(rootOf(real)).toBe('app');
  symlinkSync(real, join(directory, 'linked.js'));
  expect(rootOf(join(directory, 'linked.js'))).toBe('app');
  expect(rootOf(join(directory, 'app'))).toBe('app');
});

it('is the directory of the script without a package.json, also where its ending was left out', () => {
  const real = file('bare/server.js');
  expect(rootOf(real)).toBe('bare');
  expect(rootOf(real.slice(0, -'.js'.length))).toBe('bare');
});

it('of a launcher in node_modules is the project around it', () => {
  expect(rootOf(file('shop/node_modules/launcher/cli.js'))).toBe('shop');
});

it('is the current directory where no script was started, and "/" where that is not told', () => {
  process.argv.splice(1, 1, '');
  expect(applicationRoot()).toBe(process.cwd());
  vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw new Error('not allowed');
  });
  expect(workingDirectory()).toBe('/');
  expect(parentOf('/srv/app')).toBe('/srv');
});
