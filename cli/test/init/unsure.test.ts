import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProcess } from '../run.js';
import { writeProject } from './write-project.js';

const manifest = (dependencies: object, fields: object = {}): string =>
  `${JSON.stringify({ name: 'shop', dependencies, ...fields }, null, 2)}\n`;

/** What init says about a project that it leaves alone. */
async function said(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = writeProject(files);
  const { code, stdout, stderr } = await inProcess(['init', '--write', '--no-start'], { cwd });
  expect(code, stdout + stderr).toBe(1);
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
  return stderr;
}

test('two applications that both listen', async () => {
  const index = `import express from 'express';\nconst app = express();\nconst admin = express();\napp.listen(3000);\nadmin.listen(3001);\n`;
  const files = { 'package.json': manifest({ express: '^5.0.0' }), 'index.mjs': index };
  expect(await said(files)).toContain(
    'Several applications could be the one that serves requests (app in index.mjs, admin in index.mjs)',
  );
});

test('a version that the entry is not for', async () => {
  const files = {
    'package.json': manifest({ fastify: '^4.0.0' }),
    'index.mjs':
      "import Fastify from 'fastify';\nconst app = Fastify();\nawait app.listen({ port: 3000 });\n",
  };
  expect(await said(files)).toContain(
    'lifesign/fastify is for fastify 5, and this project has 4: start it with node --import lifesign/auto instead',
  );
});

test('no server, a framework without an entry, the root of a monorepo', async () => {
  expect(await said({ 'package.json': manifest({}), 'index.js': 'console.log(1);\n' })).toContain(
    'No server was found',
  );
  expect(
    await said({
      'package.json': manifest({ '@hapi/hapi': '^21.0.0' }),
      'index.js': "require('@hapi/hapi');\n",
    }),
  ).toContain('lifesign has no entry for @hapi/hapi');
  const root = {
    'package.json': manifest({}, { workspaces: ['services/*'] }),
    'services/shop/package.json': manifest({}),
  };
  expect(await said(root)).toContain(
    'the root of a monorepo: run init in the folder of each service (services/shop)',
  );
});

test('an application without a name, and a file that does not parse', async () => {
  const files = {
    'package.json': manifest({ express: '^5.0.0' }),
    'index.js': "const serve = require('./serve');\nserve(require('express')());\n",
    'serve.js': 'function (',
  };
  const text = await said(files);
  expect(text).toContain(
    'index.js creates the express application in a way that later lines cannot refer to',
  );
  expect(text).toContain('serve.js does not parse, and was left out');
});

test('a compiled file is never changed', async () => {
  const files = {
    'package.json': manifest({ express: '^5.0.0' }, { scripts: { start: 'node dist/main.js' } }),
    'dist/main.js': "const app = require('express')();\napp.listen(1);\n",
  };
  expect(await said(files)).toContain('No server was found');
});

test('an application without a name: its clients are named, too', async () => {
  const files = {
    'package.json': manifest({ express: '^5.0.0', pg: '^8.0.0' }),
    'index.mjs':
      "import express from 'express';\nimport { Pool } from 'pg';\nconst pool = new Pool();\nclass Shop {\n  app = express();\n}\nnew Shop().app.listen(3000, () => pool);\n",
  };
  expect(await said(files)).toContain(
    'index.mjs:3 creates pool of pg, and no check was added for it: write new Health(this.app, { db: pool }); in index.mjs',
  );
});

test('a client that the application cannot refer to is named, with what to write', async () => {
  const cwd = writeProject({
    'package.json': manifest({ express: '^5.0.0', pg: '^8.0.0' }, { scripts: { start: 'node server.js' } }),
    'server.js':
      "const app = require('./app');\nconst { Pool } = require('pg');\nconst pool = new Pool();\napp.listen(3000, () => pool.query('SELECT 1'));\n",
    'app.js': "const app = module.exports = require('express')();\n",
  });
  const { stdout, stderr } = await inProcess(['init'], { cwd });
  expect(stdout).toContain('+new Health(app);');
  expect(stderr).toContain(
    'server.js:3 creates pool of pg, and no check was added for it: take it from server.js, and write db: pool into the options of Health in app.js',
  );
});

test('misuse', async () => {
  const cwd = writeProject({ 'a.txt': '' });
  expect((await inProcess(['init'], { cwd })).stderr).toMatch(
    /There is no package.json in .*: name the folder of a service.*LIFESIGN_USAGE/s,
  );
  expect((await inProcess(['init', '--wirte'], { cwd })).stderr).toContain('did you mean --write?');
  expect((await inProcess(['init', 'a', 'b'], { cwd })).code).toBe(2);
});
