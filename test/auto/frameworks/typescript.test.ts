// A service in TypeScript, on every runtime that runs it: newer Nodes by themselves, this one with ts-node.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { directoryWith, start } from '../start.js';
import { built, frameworks } from './fixture.js';

let directory = '';
beforeAll(async () => {
  directory = await built(frameworks.typescript);
});
const installed = (path: string) => join(directory, 'node_modules', path);

const files = {
  'health.cjs': `module.exports = { failLevel: 'error', checks: { storage: async () => {} } };`,
  'app.ts': `import type { RequestListener } from 'node:http';
const { createServer } = require('node:http');
const answer: RequestListener = (_request, response) => void response.end('hello');
createServer(answer).listen(process.env['PORT']);`,
  'app.mts': `import { createServer, type RequestListener } from 'node:http';
const answer: RequestListener = (_request, response) => void response.end('hello');
createServer(answer).listen(process.env['PORT']);`,
  'tsconfig.json': JSON.stringify({
    compilerOptions: { module: 'nodenext', target: 'es2022', esModuleInterop: true },
    'ts-node': { transpileOnly: true },
  }),
};

const byImport = '--import lifesign/auto';
const byRequire = '--require lifesign/auto';
/** The arguments of node, the options, and another node. */
const ways: Readonly<Record<string, readonly [() => readonly string[], string, string?]>> = {
  'Node 22, CommonJS, --import': [() => ['app.ts'], byImport, 'node22'],
  'Node 22, CommonJS, --require': [() => ['app.ts'], byRequire, 'node22'],
  'Node 22, ESM': [() => ['app.mts'], byImport, 'node22'],
  'Node 24, CommonJS': [() => ['app.ts'], byImport, 'node24'],
  'Node 24, ESM': [() => ['app.mts'], byImport, 'node24'],
  // Any `--import` gives the first file to the loader of ES modules, and ts-node is not asked for it on Node 20 and 22.
  'ts-node, --require': [() => [installed('ts-node/dist/bin.js'), 'app.ts'], byRequire],
  'ts-node, Node 24, --import': [() => [installed('ts-node/dist/bin.js'), 'app.ts'], byImport, 'node24'],
  'ts-node/esm': [() => ['--loader', installed('ts-node/esm.mjs'), 'app.mts'], byImport],
};

describe.each(Object.entries(ways))('%s', (_name, [args, options, node]) => {
  test('serves the checks of the configuration, and drains', async () => {
    const app = await start(args(), {
      cwd: directoryWith(files),
      options,
      env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '100ms', HEALTH_CONFIG: 'health.cjs' },
      ...(node !== undefined && { node: installed(`${node}/bin/node`) }),
    });
    expect(await (await fetch(app.origin)).text()).toBe('hello');
    const heartbeat = await (await fetch(`${app.origin}/__heartbeat__`)).json();
    expect(heartbeat).toEqual({ status: 'ok', checks: { storage: 'ok' }, details: {} });
    expect(app.stderr()).not.toContain('lifesign/auto:');
    expect(await app.summaries(2)).toHaveLength(2);
    app.child.kill('SIGTERM');
    // It has no handler of its own.
    expect(await app.exited).toEqual({ code: null, signal: 'SIGTERM' });
  });
});
