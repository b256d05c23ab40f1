import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { manifest, planned } from './planned.js';

const files = (Dockerfile: string, listen = 'process.env.PORT || 3000'): Record<string, string> => ({
  'package.json': manifest({ scripts: { start: 'node index.js' }, dependencies: { express: '^5.0.0' } }),
  'index.js': `const app = require('express')();\nconst port = 4000;\napp.listen(${listen});\n`,
  Dockerfile,
});
const health = /HEALTHCHECK .*\\\r?\n {4}CMD \["(.*)"\]/;
const asks = (port: number): string =>
  `node", "-e", "fetch(\`http://127.0.0.1:\${process.env.PORT||${port}}/__lbheartbeat__\`).then(({ok})=>process.exit(ok?0:1))`;

test('the HEALTHCHECK asks the service: 0 for 200, 1 for anything else and for nothing', async () => {
  const { file } = planned(files('FROM node:22\nWORKDIR /app\nRUN npm ci\n'));
  const [, , script = ''] = JSON.parse(`["${health.exec(file('Dockerfile') ?? '')?.[1]}"]`) as string[];
  const codes = [200, 503, undefined].map(async (status) => {
    const server = createServer((_request, response) => void response.writeHead(status ?? 500).end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    if (status === undefined) server.close();
    const child = spawn(process.execPath, ['-e', script], { env: { ...process.env, PORT: String(port) } });
    const [code] = (await once(child, 'exit')) as [number];
    server.close();
    return code;
  });
  expect(await Promise.all(codes)).toEqual([0, 1, 1]);
});

describe('a HEALTHCHECK is written', () => {
  test.each([
    ['without CMD and a last line end', 'FROM node:22\nWORKDIR /app\nCOPY . .\nRUN npm ci'],
    ['for a command in a shell', 'FROM node:22\nWORKDIR /app\nCOPY . .\nRUN npm ci\nCMD npm start\n'],
    [
      'for a stage on another stage, with a folder and modules from there',
      'ARG BASE=node:22\nFROM ${BASE} AS base\nWORKDIR /app\nCOPY package.json .\nRUN yarn install --frozen-lockfile\nFROM base AS run\nCOPY . .\nCMD ["node", "index.js"]\n',
    ],
    [
      'for modules that are copied',
      'FROM node:22 AS deps\nWORKDIR /src\nRUN npm ci\nFROM node:22-slim\nWORKDIR /app\nCOPY --from=deps --chown=node:node /src/node_modules ./node_modules\nCOPY --from=deps /src/dist ./dist\nCMD ["node", "dist/index.js"]\n',
    ],
    [
      'for a stage that is copied as a whole',
      'FROM node:22 AS build\nWORKDIR /src/app\nRUN pnpm install\nFROM node:22-slim\nWORKDIR /app\nCOPY --from=build ["/src/app", "./"]\nENTRYPOINT ["node", "index.js"]\n',
    ],
    [
      'with the line ends of the file',
      'FROM node:22\r\nWORKDIR /app\r\nRUN npm ci\r\nCMD ["npm", "start"]\r\n',
    ],
  ])('%s', (_name, text) => {
    const changed = planned(files(text)).file('Dockerfile') ?? '';
    expect(health.exec(changed)?.[1]).toBe(asks(3000));
    // Every line of the file is still there.
    for (const line of text.split('\n')) expect(changed.split('\n')).toContain(line);
    expect(changed.includes('\r')).toBe(text.includes('\r'));
    if (text.includes('\r')) expect(changed.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test.each([
    ['port', '4000'],
    ["Number(process.env['PORT']) || 5000", '5000'],
    ['process.env.PORT ? Number(process.env.PORT) : 5001', '5001'],
    ['{ port: 5002 }', '5002'],
    ["parseInt(process.env.PORT ?? '5003', 10)", '5003'],
  ])('on the port of listen(%s)', (listen, port) => {
    const { file } = planned(files('FROM node:22\nWORKDIR /app\nRUN npm ci\n', listen));
    expect(file('Dockerfile')).toContain(asks(Number(port)));
  });

  test('on ports of settings', () => {
    for (const settings of [
      'const { PORT = 5004 } = process.env;',
      'z.object({ PORT: z.coerce.number().default(5004) });',
    ]) {
      const { file } = planned({
        ...files('FROM node:22\nWORKDIR /app\nRUN npm ci\n', "require('./settings').PORT"),
        'settings.js': `${settings}\n`,
      });
      expect(file('Dockerfile')).toContain(asks(5004));
    }
  });
});

describe('a Dockerfile is left', () => {
  test.each([
    ['on another image', 'FROM node:22 AS build\nRUN npm ci\nFROM nginx\n', 'has a last stage on nginx'],
    [
      'with a Node that is too old',
      'FROM node:18-slim\nWORKDIR /app\n',
      'runs node:18-slim, and lifesign needs Node 20',
    ],
  ])('%s', (_name, text, why) => {
    const { file, notes } = planned(files(text));
    expect(file('Dockerfile')).toBeUndefined();
    expect(notes.join('\n')).toContain(`Dockerfile ${why}`);
  });

  test.each([
    ['whose port is not known', 'process.env.PORT', '', 'because the port of the service was not found'],
    [
      'of a service with TLS',
      '8443',
      "require('https').createServer({}, app);\n",
      'because the service answers over TLS or HTTP/2',
    ],
  ])('without a HEALTHCHECK %s', (_name, listen, more, why) => {
    const all = files('FROM node:22\nWORKDIR /app\nRUN npm ci\nCMD ["npm", "start"]\n', listen);
    const { file, notes } = planned({ ...all, 'index.js': all['index.js'] + more });
    expect(file('Dockerfile')).not.toContain('HEALTHCHECK');
    expect(notes.join('\n')).toContain(why);
  });
});

test('of several Dockerfiles the one for production is changed, and the others are named', () => {
  const text = 'FROM node:22\nWORKDIR /app\nRUN npm ci\n';
  const several = planned({ ...files(text), 'Dockerfile.dev': text, 'Dockerfile.jobs': text });
  expect(several.files).not.toContain('Dockerfile.dev');
  expect(several.file('Dockerfile')).toContain('HEALTHCHECK');
  expect(several.notes.join('\n')).toContain('Dockerfile.jobs was left as it is');
  const { Dockerfile: _none, ...rest } = files('');
  expect(planned({ ...rest, 'docker/Dockerfile': text }).file('docker/Dockerfile')).toContain('HEALTHCHECK');
});
