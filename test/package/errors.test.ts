import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whole } from '../whole.js';

const app = join(import.meta.dirname, 'errors-app.mjs');

/** Exit code and standard error, up to the first line of the stack; the port is another in each run. */
function run(...args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [app, ...args],
      { env: { ...process.env, NODE_ENV: '' } },
      (error, _stdout, stderr) => {
        const known = stderr
          .replaceAll(/(?<=127\.0\.0\.1:|remotePort":|port: )\d+/g, 'PORT')
          .replace(/(?<="reqId":)"[^"]+"/, 'ID');
        const lines = known.split('\n');
        const at = lines.findIndex((line) => /^\s+at /.test(line));
        // In a line of JSON the whole stack is one text.
        const first = lines
          .slice(0, at + 1 || undefined)
          .map((line) => line.replace(/(?<=\\n    at .*?)\\n.*/, ''));
        resolve(`${error?.code ?? 0}\n${first.join('\n')}`);
      },
    );
  });
}

// Node alone has no place for errors: the process ends. The other frameworks print and answer.
const cases = [
  ['node', 'sync'],
  ['node', 'async'],
  ['node', 'text'],
  ['node', 'start'],
  ['express', 'sync'],
  ['express', 'async'],
  ['express', 'start'],
  ['fastify', 'async'],
  ['koa', 'sync'],
  ['nestjs', 'async'],
] as const;

// The framework prints it, or Node does.
const some = cases.filter(([name, how]) => /^(?:node|fastify)$/.test(name) && /async|start/.test(how));

test.concurrent.each(whole ? cases : some)(
  '%s, %s: an error is printed as without lifesign',
  async (framework, scenario) => {
    const without = await run(framework, scenario);
    expect(without).toMatch(scenario === 'start' ? /EADDRINUSE/ : `${scenario} bug`);
    expect(await run(framework, scenario, 'with')).toBe(without);
  },
);
