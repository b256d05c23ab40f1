// Everything works in each way to load the package, bundled or not.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';
import { expect, inject, test } from 'vitest';

const cwd = inject('consumer');

/** Fails at once: a text, an error in a check, a check of ours, one in the application, and a mistake. Probes are a feature. */
const failures = `
const health = new Health({ probes: true, groups: { all: ['text'] }, summary: { ignore: ['/none'] } });
const warning = () => [new checks.Warning('password=hunter2hunter2', { id: 'acme.W001' })];
health.check('text', warning, { timeout: '5s', cacheFor: '5s' });
console.log('ignored', ...health.options.summary.ignore);
health.check('thrown', () => { throw new Error('connect postgres://me:hunter2hunter2@db/orders failed'); });
health.check('port', checks.tcp('127.0.0.1', 1));
try { checks.tcp('', 1); } catch (thrown) { console.log(thrown instanceof LifesignError, thrown.code); }
const handle = health.wrap(() => { throw new Error('token=hunter2hunter2'); });
Promise.resolve(handle(new Request('http://localhost/__heartbeat__')))
  .then((answer) => answer.text())
  .then((body) => { console.log(body); return handle(new Request('http://localhost/livez')); })
  .then((answer) => { console.log('livez', answer.status); return handle(new Request('http://localhost/__heartbeat__/all')); })
  .then((answer) => { console.log('group', answer.status); })
  .then(() => handle(new Request('http://localhost/')))
  .catch(() => health.close());
`;
const esm = `import { checks, Health, LifesignError } from 'lifesign/fetch';${failures}`;

function outputOf(name: string, code: string, ...flags: readonly string[]): string {
  const file = join(cwd, name);
  writeFileSync(file, code);
  try {
    return execFileSync(process.execPath, [...flags, file], { cwd, encoding: 'utf8' });
  } finally {
    rmSync(file);
  }
}

function bundled(options: BuildOptions): string {
  const stdin = { contents: esm, resolveDir: cwd };
  const built = buildSync({ stdin, bundle: true, format: 'esm', write: false, ...options });
  return built.outputFiles?.[0]?.text ?? '';
}

const tsx = import.meta.resolve('tsx');

const forms: Readonly<Record<string, () => string>> = {
  import: () => outputOf('failures.mjs', esm),
  'import, on a Node that cannot require ES modules': () =>
    outputOf('old.mjs', esm, '--no-experimental-require-module'),
  'import, under tsx': () => outputOf('tsx.mjs', esm, '--import', tsx),
  require: () =>
    outputOf(
      'failures.cjs',
      `const { checks, Health, LifesignError } = require('lifesign/fetch');${failures}`,
    ),
  'one file for Node': () => outputOf('bundle.mjs', bundled({ platform: 'node' })),
  'one file of CommonJS': () => outputOf('bundle.cjs', bundled({ platform: 'node', format: 'cjs' })),
  'one file, with conditions of its own': () =>
    outputOf('odd.mjs', bundled({ platform: 'node', conditions: ['acme'] })),
  'one file for a runtime without Node': () =>
    outputOf('neutral.mjs', bundled({ platform: 'neutral', external: ['node:*'] })),
};

test.each(Object.keys(forms))('everything is there for the first failure: %s', (form) => {
  const output = forms[form]?.() ?? '';
  expect(output).not.toContain('hunter2');
  expect(output).toContain('password=***');
  expect(output).toContain('connect postgres://***@db/orders failed');
  expect(output).toContain('token=***');
  expect(output).toContain('Cannot connect to 127.0.0.1:1');
  expect(output).toContain('true LIFESIGN_OPTION_INVALID');
  expect(output).toContain('livez 200');
  expect(output).toContain('ignored /none');
  expect(output).toContain('group 500');
});
