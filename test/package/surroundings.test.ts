import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';

const run = promisify(execFile);
const consumer = inject('consumer');
const { exports: listed }: { exports: Record<string, unknown> } = JSON.parse(
  readFileSync(join(consumer, 'node_modules/lifesign/package.json'), 'utf8'),
);
/** All entries but those of frameworks that must be installed to load them. */
const entries = Object.keys(listed).filter((entry) => !/nestjs|adonisjs|schemas|package\.json/.test(entry));

const paths = [
  '/__version__',
  '/__heartbeat__',
  '/__heartbeat__/g',
  '/__lbheartbeat__',
  '/livez',
  '/readyz',
  '/__metrics__',
  '/__health__',
];

/** Asks every endpoint of a server with every feature, after `before` was done to the globals; prints what they answer. */
const program = (before: string) => `
  const http = require('node:http');
  ${before}
  const { Health } = require('lifesign/node');
  const server = http.createServer((req, res) => res.end('app'));
  const lines = [];
  const log = (record) => lines.push(record);
  const health = new Health(server, { probes: true, page: true, metrics: true, groups: { g: ['b'] }, logger: { log } });
  health.versionCallback(async () => ({ commit: 'c' }));
  health.check('a', async () => []);
  health.check('b', () => new Promise((resolve) => setTimeout(resolve, 5, [])));
  const ask = (path, then) => http.get({ port: server.address().port, host: '127.0.0.1', path, agent: false }, (res) => {
    let body = '';
    res.on('data', (data) => (body += data)).on('end', () => then([path, res.statusCode, body.slice(0, 200)]));
  }).on('error', (error) => then([path, error.message, '']));
  const answers = [];
  const next = ([path, ...rest]) => path === undefined ? end() : ask(path, (answer) => (answers.push(answer), next(rest)));
  const end = () => {
    console.log(JSON.stringify({ answers, fields: lines.flatMap(({ fields }) => Object.keys(fields)) }));
    process.exit();
  };
  server.listen(0, '127.0.0.1', () => next(${JSON.stringify([...paths, '/app'])}));
`;

async function played(before: string) {
  const { stdout } = await run(process.execPath, ['-e', program(before)], { cwd: consumer });
  const { answers, fields }: { answers: [string, unknown, string][]; fields: string[] } = JSON.parse(stdout);
  return { answers, fields };
}

function expectAnswers(answers: readonly [string, unknown, string][]): void {
  expect(answers.map(([path, status]) => [path, status])).toEqual(
    [...paths, '/app'].map((path) => [path, 200]),
  );
  expect(answers[1]?.[2]).toBe('{"status":"ok","checks":{"a":"ok","b":"ok"},"details":{}}');
}

const homeMade = `
  const Native = Promise;
  globalThis.Promise = class Own {
    constructor(start) { this.inner = new Native(start); }
    then(...given) { return new Own((resolve, reject) => this.inner.then(...given).then(resolve, reject)); }
    catch(given) { return this.then(undefined, given); }
    finally(given) { return this.then((value) => (given(), value), (thrown) => { given(); throw thrown; }); }
    static resolve(value) { return new Own((resolve) => resolve(value)); }
    static reject(thrown) { return new Own((_resolve, reject) => reject(thrown)); }
    static all(all) { return new Own((resolve, reject) => Native.all(all).then(resolve, reject)); }
    static race(all) { return new Own((resolve, reject) => Native.race(all).then(resolve, reject)); }
  };`;

test.each([
  ['a subclass', 'const P = Promise; globalThis.Promise = class Sub extends P {};'],
  ['another class', homeMade],
])('every endpoint answers where the global Promise is %s', async (_what, before) => {
  expectAnswers((await played(before)).answers);
});

const pollutions = [
  ['a function', 'Object.prototype.polyfill = function polyfill() {};'],
  ['a string', "Object.prototype.type = 'x'; Object.prototype.level = 'x';"],
  ['an accessor', "Object.defineProperty(Object.prototype, 'size', { get: () => 7, enumerable: true });"],
] as const;

test.each(pollutions)(
  'with %s on Object.prototype every endpoint answers, and no log line has it',
  async (_what, before) => {
    const { answers, fields } = await played(before);
    expectAnswers(answers);
    expect(fields.filter((name) => ['polyfill', 'type', 'level', 'size'].includes(name))).toEqual([]);
  },
);

test.each(pollutions)(
  'with %s on Object.prototype every entry loads, as a module and by require',
  async (_what, before) => {
    const names = entries.map((entry) => `lifesign${entry.slice(1)}`);
    const code = `${before}
    for (const name of ${JSON.stringify(names)}) require(name);
    Promise.all(${JSON.stringify(names)}.map((name) => import(name))).then((all) => console.log(all.length));`;
    const { stdout } = await run(process.execPath, ['-e', code], { cwd: consumer });
    expect(stdout.trim()).toBe(String(names.length));
  },
);
