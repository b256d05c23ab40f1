import { describe, expect, test } from 'vitest';
import { manifest, planned } from './planned.js';

const express = manifest({ scripts: { start: 'node index.js' }, dependencies: { express: '^5.0.0' } });
const app = (before: string, behind = ''): string =>
  `const express = require('express');\n${before}\nconst app = express();\n${behind}app.listen(3000);\n`;

/** The line that creates Health, for an application and its other files. */
function line(index: string, files: Readonly<Record<string, string>> = {}): string | undefined {
  const { file } = planned({ 'package.json': express, 'index.js': index, ...files });
  return /new Health\(.*/.exec(file('index.js') ?? '')?.[0];
}

describe('clients of other files', () => {
  const pool = "const { Pool } = require('pg');\n";
  test.each([
    [
      'a member of module.exports',
      `${pool}const pool = new Pool();\nmodule.exports = { query, pool };\n`,
      'db.pool',
    ],
    ['a value that is exported', `${pool}const pool = new Pool();\nexports.pool = pool;\n`, 'db.pool'],
    ['the module itself', `${pool}module.exports = new Pool();\n`, 'db'],
    ['a knex of a file of settings', "module.exports = require('knex')({});\n", 'db'],
    ['a default export', "import { Pool } from 'pg';\nexport default new Pool();\n", 'db'],
    ['a promise pool of mysql2', "module.exports = require('mysql2').createPool({}).promise();\n", 'db'],
    [
      'a client that is kept in a global',
      `${pool}const pool = global.pool || (global.pool = new Pool());\nmodule.exports = { pool };\n`,
      'db.pool',
    ],
    [
      'a member of the object that is exported, as Sequelize writes it',
      "const { Sequelize } = require('sequelize');\nconst sequelize = new Sequelize('postgres://db');\nconst db = {};\ndb.sequelize = sequelize;\nmodule.exports = db;\n",
      'db.sequelize',
    ],
  ])('%s', (_name, text, reference) => {
    const isModule = text.startsWith('import');
    const imported = isModule ? "import express from 'express';\nimport db from './db.js';\n" : '';
    const index = isModule
      ? `${imported}const app = express();\napp.get('/', () => db);\napp.listen(3000);\n`
      : app("const db = require('./db');");
    const wanted = reference === 'db' ? '{ db }' : `{ db: ${reference} }`;
    expect(line(index, { 'db.js': text })).toBe(`new Health(app, ${wanted});`);
  });

  test('several of one file', () => {
    const db =
      "import { Pool } from 'pg';\nexport const first = new Pool();\nexport const second = new Pool();\n";
    const index = (imported: string): string =>
      `import express from 'express';\n${imported}\nconst app = express();\napp.listen(3000);\n`;
    for (const [imported, wanted] of [
      ["import * as db from './db.js';", '{ first: db.first, second: db.second }'],
      ["import { first, second } from './db.js';", '{ first, second }'],
    ] as const)
      expect(line(index(imported), { 'db.js': db })).toBe(`new Health(app, { db: ${wanted} });`);
  });

  test.each([
    [
      'is not imported',
      '',
      "const { Pool } = require('pg');\nconst pool = new Pool();\nmodule.exports = { pool };\n",
      'pool',
    ],
    [
      'is wrapped',
      "const db = require('./db');",
      "const { Pool } = require('pg');\nmodule.exports = wrap(new Pool());\n",
      'client',
    ],
    [
      'is a member of what is exported',
      "const db = require('./db');",
      "const { Pool } = require('pg');\nconst db = { pool: new Pool() };\nmodule.exports = db;\n",
      'client',
    ],
    ['is passed on', "const { pool } = require('./db');", "module.exports = require('./pool');\n", 'pool'],
  ])('one that %s is named with its line', (_name, before, db, client) => {
    const { file, notes } = planned({
      'package.json': express,
      'index.js': app(before || "require('./routes');"),
      'routes.js': "require('./db');\n",
      'db.js': db,
      'pool.js': "const { Pool } = require('pg');\nconst pool = new Pool();\nmodule.exports = { pool };\n",
    });
    expect(file('index.js')).toContain('new Health(app);');
    expect(notes.join('\n')).toMatch(
      new RegExp(
        `(?:db|pool)\\.js:\\d creates .* of pg, and no check was added for it: take it from (?:db|pool)\\.js, and write db: ${client} into the options of Health in index\\.js`,
      ),
    );
  });
});

test('Health is after the line that declares its client, however late', () => {
  const db = "const { Pool } = require('pg');\nmodule.exports = new Pool();\n";
  const late = planned({
    'package.json': express,
    'db.js': db,
    'index.js': app('', "const db = require('./db');\n"),
  });
  expect(late.file('index.js')).toContain("const db = require('./db');\nnew Health(app, { db });");
  const tooLate = planned({
    'package.json': express,
    'db.js': db,
    'index.js': `${app('')}const db = require('./db');\n`,
  });
  expect(tooLate.file('index.js')).toContain('new Health(app);');
  expect(tooLate.notes).toContainEqual(
    expect.stringContaining('db.js:2 creates a client of pg, and no check was added for it'),
  );
});

test.each([
  ['a class', 'class Database {\n  pool = new Pool();\n}\n'],
  ['a function', 'let pool;\nexports.get = () => (pool ??= new Pool());\n'],
  ['one branch', 'let pool;\nif (process.env.DB) pool = new Pool();\n'],
  ['a condition', 'const pool = process.env.DB ? new Pool() : null;\n'],
])('a client that %s creates is named with its line', (_name, text) => {
  const { file, notes } = planned({
    'package.json': express,
    'index.js': app("require('./db');"),
    'db.js': `const { Pool } = require('pg');\n${text}`,
  });
  expect(file('index.js')).toContain('new Health(app);');
  expect(notes.join('\n')).toMatch(
    /db\.js:\d creates a client of pg, and no check .*: take it from db\.js, and write db: client into the options of Health in index\.js/,
  );
});

test('a client of redis 3 is named and left out', () => {
  const before = "const redis = require('redis').createClient();";
  for (const [range, isLeft] of [
    ['^3.1.2', true],
    ['^4.0.0', false],
    ['^5.8.0', false],
  ] as const) {
    const { file, notes } = planned({
      'package.json': manifest({
        scripts: { start: 'node index.js' },
        dependencies: { express: '^5.0.0', redis: range },
      }),
      'index.js': app(before),
    });
    expect(file('index.js')).toContain(isLeft ? 'new Health(app);' : 'new Health(app, { redis });');
    expect(notes.some((note) => note.includes('lifesign checks redis 4'))).toBe(isLeft);
  }
});
