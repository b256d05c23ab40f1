// The scrubber is loaded by the first text that may hold a secret, in the middle of a function. It must be there in each form of the package.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, type BuildOptions } from 'esbuild';
import { expect, inject, test } from 'vitest';

const cwd = inject('consumer');

/** Fails at once: a text, an error in a check, and one in the application. */
const failures = `
const health = new Health();
health.check('text', () => [new checks.Warning('password=hunter2hunter2', { id: 'acme.W001' })]);
health.check('thrown', () => { throw new Error('connect postgres://me:hunter2hunter2@db/orders failed'); });
const handle = health.wrap(() => { throw new Error('token=hunter2hunter2'); });
Promise.resolve(handle(new Request('http://localhost/__heartbeat__')))
  .then((answer) => answer.text())
  .then((body) => { console.log(body); return handle(new Request('http://localhost/')); })
  .catch(() => {});
`;
const esm = `import { checks, Health } from 'lifesign/fetch';${failures}`;

function outputOf(name: string, code: string): string {
  const file = join(cwd, name);
  writeFileSync(file, code);
  try {
    return execFileSync(process.execPath, [file], { cwd, encoding: 'utf8' });
  } finally {
    rmSync(file);
  }
}

function bundled(options: BuildOptions): string {
  const stdin = { contents: esm, resolveDir: cwd };
  const built = buildSync({ stdin, bundle: true, format: 'esm', write: false, ...options });
  return built.outputFiles?.[0]?.text ?? '';
}

const forms: Readonly<Record<string, () => string>> = {
  import: () => outputOf('failures.mjs', esm),
  require: () => outputOf('failures.cjs', `const { checks, Health } = require('lifesign/fetch');${failures}`),
  'one file for Node': () => outputOf('bundle.mjs', bundled({ platform: 'node' })),
  'one file of CommonJS': () => outputOf('bundle.cjs', bundled({ platform: 'node', format: 'cjs' })),
  'one file for a runtime without Node': () =>
    outputOf('neutral.mjs', bundled({ platform: 'neutral', external: ['node:*'] })),
};

test.each(Object.keys(forms))('the first failure shows no secret: %s', (form) => {
  const output = forms[form]?.() ?? '';
  expect(output).not.toContain('hunter2');
  expect(output).toContain('password=***');
  expect(output).toContain('connect postgres://***@db/orders failed');
  expect(output).toContain('token=***');
});

// Its conditions name Node and not bundlers, so it takes what looks for a file beside itself.
test('a bundle that has no scrubber at hand hides texts whole', () => {
  const output = outputOf('odd.mjs', bundled({ platform: 'node', conditions: ['acme'] }));
  expect(output).not.toContain('hunter2');
  expect(output).toContain('token=***');
});
