// All instrumentations of OpenTelemetry, as its documentation starts them, on both majors of NestJS beside Express and Fastify.
import { spawn } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { projectWith } from '../package/project.js';

const shops = join(import.meta.dirname, '../hosts/otel');
const auto = '@opentelemetry/auto-instrumentations-node';
const packages = (nest: number) => [
  `${auto}@0.81.2`,
  '@opentelemetry/api@1.9.1',
  '@opentelemetry/sdk-node@0.223.0',
  'express@5',
  'fastify@5',
  ...['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`),
  'reflect-metadata@0.2',
  'rxjs@7',
];

const settings = `{ '@opentelemetry/instrumentation-http': { ignoreIncomingRequestHook: ignoreHealthRequests } }`;
/** As docs/opentelemetry.md says. */
const files = {
  'instrumentation.mjs': `import { register } from 'node:module';
import { getNodeAutoInstrumentations } from '${auto}';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { ignoreHealthRequests } from 'lifesign/otel';
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
new NodeSDK({ instrumentations: [getNodeAutoInstrumentations(${settings})] }).start();`,
  'instrumentation.cjs': `const { getNodeAutoInstrumentations } = require('${auto}');
const { NodeSDK } = require('@opentelemetry/sdk-node');
const { ignoreHealthRequests } = require('lifesign/otel');
new NodeSDK({ instrumentations: [getNodeAutoInstrumentations(${settings})] }).start();`,
};

/** Trace and span of each request by its path: what the console exporter wrote, and what the summaries carry. */
function idsIn(output: string) {
  const spans = new Map<string, string>();
  for (const span of output.split(/\n(?=\{\n {2}resource)/).filter((text) => /\n {2}kind: 1,/.test(text))) {
    const [, trace] = /traceId: '(\w+)'/.exec(span) ?? [];
    const [, id] = /\n {2}id: '(\w+)'/.exec(span) ?? [];
    const [, path = ''] = /'(?:url\.path|http\.target)': '([^']*)'/.exec(span) ?? [];
    spans.set(path, `${trace} ${id}`);
  }
  const lines = new Map<string, string | undefined>();
  for (const line of output.split('\n').filter((text) => text.includes('"Type":"request.summary"'))) {
    const { path, trace_id: trace, span_id: id } = JSON.parse(line).Fields;
    lines.set(path, trace === undefined ? undefined : `${trace} ${id}`);
  }
  return { spans, lines };
}

async function traced(cwd: string, app: string, flags: readonly string[]) {
  const child = spawn(process.execPath, [...flags, join('apps', app)], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      OTEL_TRACES_EXPORTER: 'console',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // It handles SIGTERM, and stays.
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (bytes) => (output += String(bytes)));
  let origin = '';
  child.on('message', ({ port: chosen }: { port: number }) => (origin = `http://127.0.0.1:${chosen}`));
  await until(() => origin !== '' || child.exitCode !== null, 60_000);
  // Probes first: their spans would be exported by the time the last one is.
  for (const path of ['/__heartbeat__', '/__lbheartbeat__', '/orders/7']) {
    await (await fetch(`${origin}${path}`)).text();
  }
  await until(() => idsIn(output).spans.has('/orders/7') && idsIn(output).lines.size === 3);
  return idsIn(output);
}

describe.each([11, 12])('with NestJS %s', (nest) => {
  let cwd = '';
  beforeAll(async () => {
    cwd = (await projectWith(`otel${nest}`, packages(nest), inject('tarball'))) ?? '';
    for (const name of ['apps', 'shops.cjs'])
      await cp(join(shops, name), join(cwd, name), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  });

  describe.each(nest === 12 ? ['express', 'fastify', 'nest'] : ['nest'])('%s', (framework) => {
    test.each([
      ['mjs', '--import'],
      ['cjs', '--require'],
    ])('.%s: a line has the ids of the exported span; the hook leaves probes out', async (form, flag) => {
      const plain = await traced(cwd, `${framework}.${form}`, [flag, `${auto}/register`]);
      expect(plain.lines.get('/orders/7')).toMatch(/^\w{32} \w{16}$/);
      expect(plain.lines.get('/orders/7')).toBe(plain.spans.get('/orders/7'));
      const hooked = await traced(cwd, `${framework}.${form}`, [flag, `./instrumentation.${form}`]);
      expect(hooked.lines.get('/orders/7')).toBe(hooked.spans.get('/orders/7'));
      expect([...hooked.spans.keys()]).toEqual(['/orders/7']);
      expect(hooked.lines.get('/__heartbeat__')).toBeUndefined();
    });
  });
});
