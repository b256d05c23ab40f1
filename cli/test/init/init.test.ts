import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { chosen } from '../../../test/whole.js';
import { inProcess } from '../run.js';
import { applications } from './applications.js';
import { expectVerified } from './verified.js';
import { writeProject } from './write-project.js';

const changed = Object.entries(applications).filter(([, { told }]) => told === undefined);
const left = Object.entries(applications).filter(([, { told }]) => told !== undefined);

test.each(left)(
  '%s: nothing is changed, and the lines to write are named',
  async (_name, { files, told }) => {
    const cwd = writeProject(files);
    const { code, stdout, stderr } = await inProcess(['init', '--write', '--no-start'], { cwd });
    expect([code, stdout]).toEqual([1, '']);
    for (const line of told ?? []) expect(stderr).toContain(line);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
  },
);

test.each(changed)(
  '%s gets its lines at the right place, and a second run changes nothing',
  async (_name, { files, lines }) => {
    const cwd = writeProject(files);
    const shown = await inProcess(['init'], { cwd });
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
    const { code, stderr } = await inProcess(['init', '--write', '--no-start'], { cwd });
    expect(code, stderr).toBe(0);
    for (const [name, wanted] of Object.entries(lines)) {
      const written = readFileSync(join(cwd, name), 'utf8')
        .split('\n')
        .map((line) => line.trim());
      for (const line of wanted) expect(written.join('\n')).toContain(line.trim());
    }
    expect(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))).toMatchObject({
      dependencies: { lifesign: expect.stringMatching(/^\^\d/) },
    });
    const again = await inProcess(['init'], { cwd });
    expect(again).toMatchObject({ code: 0, stdout: '' });
    // Each hunk has its reason.
    const hunks = shown.stdout.split('\n').filter((line) => line.startsWith('@@'));
    for (const hunk of hunks) expect(hunk).toMatch(/^@@ \S+ \S+ @@ \S/);
  },
);

test.each(chosen(changed, 'Express in CommonJS with a router file'))(
  '%s: the diff is what git apply takes',
  async (_name, { files }) => {
    const cwd = writeProject(files);
    const { stdout } = await inProcess(['init'], { cwd });
    writeFileSync(join(cwd, 'init.diff'), stdout);
    execFileSync('git', ['apply', 'init.diff'], { cwd });
    expect(await inProcess(['init'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  },
);

const started = chosen(changed, 'Express in CommonJS with a router file').filter(
  ([, { starts }]) => starts === undefined,
);

test.each(started)(
  '%s: starts afterwards and passes verify',
  async (_name, { files, packages, host }) => await expectVerified(writeProject(files, packages, host)),
);

test('the last lines are the heartbeat of the started service', async () => {
  const packages = ['express', 'pg'];
  const listen = 'app.listen(process.env.PORT);\n';
  const manifest = `{ "name": "shop", "scripts": { "start": "node index.js" }, "dependencies": { "express": "^5.0.0" } }\n`;
  const none = writeProject(
    { 'package.json': manifest, 'index.js': `const app = require('express')();\n${listen}` },
    packages,
  );
  expect((await inProcess(['init', '--write'], { cwd: none })).stderr).toMatch(
    /\n\/__heartbeat__ 200 \{"status":"ok",.*\nno checks are registered\n\/readyz 200 \{"status":"pass".*\n$/,
  );
  const pool = `const { Pool } = require('pg');\nconst pool = new Pool({ host: '127.0.0.1', port: 9 });\n`;
  const refused = writeProject(
    { 'package.json': manifest, 'index.js': `${pool}const app = require('express')();\n${listen}` },
    packages,
  );
  expect((await inProcess(['init', '--write'], { cwd: refused })).stderr).toMatch(
    /\n\/__heartbeat__ 500 .*"health\.E001":"Cannot connect to the database: .*\n\/readyz 503 .*\n$/,
  );
});
