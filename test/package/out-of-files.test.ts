// The code of heartbeats is loaded with the first. A process that has no descriptors left by then still answers.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';

const cwd = inject('consumer');

/** Takes every descriptor, asks over a connection that is open, gives the descriptors back, and asks again. */
const program = `
import { closeSync, openSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { Health } from 'lifesign/node';

const lines = [];
const logger = {
  log(record) {
    lines.push([record.msg, record.error?.code]);
  },
};
const server = createServer((request, response) => response.end('application'));
const health = new Health(server, { logger });
health.check('storage', () => []);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = (path) => new Promise((resolve, reject) => {
  get({ host: '127.0.0.1', port: server.address().port, path, agent }, (response) => {
    response.setEncoding('utf8').on('data', (body) => resolve([response.statusCode, body]));
  }).on('error', reject);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
await ask('/');
const open = [];
try { for (;;) open.push(openSync('/dev/null')); } catch {}
const full = [await ask('/__heartbeat__'), await ask('/__lbheartbeat__'), await ask('/')];
for (const descriptor of open) closeSync(descriptor);
const free = await ask('/__heartbeat__');
console.log(JSON.stringify({ full, free, errors: lines.filter(([msg]) => /failed/.test(msg)) }));
agent.destroy();
server.close();
`;

function ran(): unknown {
  const file = join(cwd, 'out-of-files.mjs');
  writeFileSync(file, program);
  try {
    const { PATH = '' } = process.env;
    const command = 'ulimit -n 64 && exec "$0" "$1"';
    const output = execFileSync('sh', ['-c', command, process.execPath, file], {
      cwd,
      encoding: 'utf8',
      // Without the variables of the test runner.
      env: { PATH },
    });
    return JSON.parse(output.trim().split('\n').at(-1) ?? '');
  } finally {
    rmSync(file);
  }
}

const ok = [200, '{"status":"ok","checks":{"storage":"ok"},"details":{}}'];
const others = [
  [200, '{"status":"ok"}'],
  [200, 'application'],
];

test('a heartbeat fails, the log says why, and the next one finds the code', () => {
  expect(ran()).toEqual({
    full: [[500, '{"error":"lifesign failed, see the log"}'], ...others],
    free: ok,
    errors: [['/__heartbeat__ failed', 'EMFILE']],
  });
});
