import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { chosen } from '../../../test/whole.js';
import { inProcess } from '../run.js';
import { applications } from './applications.js';
import { writeProject } from './write-project.js';

/** A project in which init changes every kind of file that it knows. */
const files = {
  'project/package.json': `${JSON.stringify({ name: 'shop', description: 'Grüße', scripts: { start: 'node server.js' }, dependencies: { express: '^5.0.0', pg: '^8.0.0' } }, null, 2)}\n`,
  'project/server.js':
    "// Grüße\nconst express = require('express');\nconst { Pool } = require('pg');\n\nconst app = express();\nconst pool = new Pool();\napp.listen(process.env.PORT || 3000);\n",
  'project/Dockerfile':
    '# Grüße\nFROM node:24\nWORKDIR /app\nCOPY package.json .\nRUN npm install\nCOPY . .\nEXPOSE 3000\nUSER node\nCMD ["node", "server.js"]\n',
  'project/compose.yaml': 'services:\n  # Grüße\n  shop:\n    build: .\n',
  'project/k8s/shop.yaml':
    '# Grüße\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  template:\n    spec:\n      containers:\n      - name: shop\n        image: shop\n        ports:\n        - containerPort: 3000\n',
};
const names = Object.keys(files);

const bytesIn = (cwd: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(cwd, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(cwd, name), { throwIfNoEntry: false })?.isFile() === true)
      .map((name) => [name, readFileSync(join(cwd, name)).toString('latin1')]),
  );

const write = (cwd: string) => inProcess(['init', '--write', '--no-start'], { cwd: join(cwd, 'project') });

test('all of these files are changed, and keep their mode, byte order mark and line ends', async () => {
  const cwd = writeProject(files);
  for (const name of names) {
    writeFileSync(join(cwd, name), `\uFEFF${readFileSync(join(cwd, name), 'utf8').replaceAll('\n', '\r\n')}`);
    chmodSync(join(cwd, name), 0o640);
  }
  const { code, stderr } = await write(cwd);
  expect(code, stderr).toBe(0);
  for (const name of names) {
    const text = readFileSync(join(cwd, name), 'utf8');
    expect(stderr.slice(stderr.indexOf('Changed'))).toContain(name.replace('project/', ''));
    expect(text, name).toMatch(/^\uFEFF/);
    expect(text, name).toContain('Grüße');
    expect(text.replaceAll('\r\n', ''), name).not.toContain('\n');
    expect(statSync(join(cwd, name)).mode % 0o1000, name).toBe(0o640);
  }
});

test.each(
  chosen(Object.entries(applications), 'Express in CommonJS with a router file', 'Mongoose', 'Next.js'),
)('%s with \\r\\n gets no \\n', async (_name, application) => {
  const crlf = Object.entries(application.files).map(([name, text]) => [name, text.replaceAll('\n', '\r\n')]);
  const cwd = writeProject(Object.fromEntries(crlf));
  await inProcess(['init', '--write', '--no-start'], { cwd });
  for (const name of Object.keys(application.files))
    expect(readFileSync(join(cwd, name), 'utf8').replaceAll('\r\n', ''), name).not.toContain('\n');
});

/** What a file may be instead of a regular one in UTF-8, and how it is named. */
const oddities: Readonly<
  Record<string, readonly [change: (path: string, outside: string) => void, said: string]>
> = {
  'in UTF-16': [
    (path) => writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8')}`, 'utf16le'),
    'is not UTF-8',
  ],
  'a symbolic link': [
    (path, outside) => {
      renameSync(path, outside);
      symlinkSync(outside, path);
    },
    'is a symbolic link',
  ],
  'a hard link': [(path, outside) => linkSync(path, outside), 'has another name, by a hard link'],
  'a FIFO': [
    (path) => {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    },
    'is not a regular file',
  ],
  'a folder': [
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
    'is not a regular file',
  ],
};

const kinds = chosen(Object.entries(oddities), 'in UTF-16', 'a symbolic link', 'a FIFO');

describe.each(kinds)('%s', (_kind, [change, said]) => {
  test.each(names)('%s is named and left, and so is everything outside of the project', async (name) => {
    const cwd = writeProject(files);
    change(join(cwd, name), join(cwd, 'outside'));
    const before = bytesIn(cwd);
    const { code, stdout, stderr } = await write(cwd);
    const after = bytesIn(cwd);
    for (const one of [name, 'outside']) expect(after[one], one).toBe(before[one]);
    // What is not even a file through a link is not taken for the server or a manifest.
    const isFound = statSync(join(cwd, name), { throwIfNoEntry: false })?.isFile() === true;
    const path = name.replace('project/', '');
    if (isFound || !/server|k8s/.test(name))
      expect(stderr).toContain(
        name.includes('package') ? `${path} cannot be written: it ${said}` : `${path} ${said}`,
      );
    // Without its code or its dependency the service gets nothing.
    const isNeeded = /server|package/.test(name);
    if (isNeeded) expect(after).toEqual(before);
    expect(code, stdout + stderr).toBe(/package/.test(name) ? 2 : isNeeded ? 1 : 0);
    expect(stderr.includes('Changed')).toBe(!isNeeded);
  });
});

test('files below a folder that is a symbolic link are left', async () => {
  const cwd = writeProject(files);
  renameSync(join(cwd, 'project/k8s'), join(cwd, 'k8s'));
  symlinkSync(join(cwd, 'k8s'), join(cwd, 'project/k8s'));
  const before = bytesIn(cwd);
  const { code, stderr } = await write(cwd);
  expect(code).toBe(0);
  expect(stderr).toContain('k8s/shop.yaml is in a folder that is a symbolic link: it is left as it is');
  expect(bytesIn(cwd)['k8s/shop.yaml']).toBe(before['k8s/shop.yaml']);
});

test('a file where a folder is looked for, such as a script with the name deploy, is no problem', async () => {
  const cwd = writeProject({ ...files, 'project/deploy': '#!/bin/sh\n', 'project/docker': '' });
  expect((await write(cwd)).code).toBe(0);
});

test.each([0, 1, 2])('a write that fails after %i KiB restores every file', async (size) => {
  const description = 'x'.repeat(1024 * (size + 1));
  // package.json is written after the code; it does not fit into the limit.
  const manifest = JSON.stringify({ ...JSON.parse(files['project/package.json']), description }, null, 2);
  const cwd = writeProject({ ...files, 'project/package.json': manifest });
  const before = bytesIn(cwd);
  const bin = join(inject('builtCli'), 'dist/bin.js');
  const line = `ulimit -f ${size}; "$0" "$1" init --write --no-start 2>&1 || true`;
  const output = execFileSync('sh', ['-c', line, process.execPath, bin], {
    cwd: join(cwd, 'project'),
    encoding: 'utf8',
  });
  expect(output).toMatch(/cannot be written: .*EFBIG.*; nothing was changed/);
  expect(output).not.toContain('Changed');
  expect(bytesIn(cwd)).toEqual(before);
});
