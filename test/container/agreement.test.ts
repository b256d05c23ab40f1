import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../services/process.js';
import { deployFiles, type Described } from './deploy-files.js';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/deployment.md'), 'utf8');
const all = Object.entries(deployFiles).map(([file, describe]) => [file, describe()] as const);
const roles = ['startup', 'readiness', 'liveness'] as const;

/** The cells of a file in the table of docs/deployment.md. */
function rowOf(file: string): readonly string[] {
  const line = page.split('\n').find((each) => each.startsWith('|') && each.includes(`(../deploy/${file})`));
  return (line ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

const cellsOf = (described: Described) => [
  ...roles.map((role) => {
    const { path, port } = described[role] ?? {};
    return path === undefined ? 'none' : [`\`${path}\``, port].filter((part) => part !== undefined).join(' ');
  }),
  described.peers === undefined ? 'none' : `\`${described.peers}\``,
];

test('every file of a platform is described', () => {
  // These say nothing of probes.
  const others = [/^prometheus\//, /^ecs\/service/, /^kubernetes\/network-policy/];
  const files = readdirSync(join(root, 'deploy'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes('.') && !others.some((other) => other.test(file)))
    .map((file) => file.replaceAll('\\', '/'));
  expect(Object.keys(deployFiles).toSorted()).toEqual(files.toSorted());
});

test.each(all)('%s is as the table of docs/deployment.md says', (file, described) => {
  expect(rowOf(file)).toEqual(cellsOf(described));
});

test.each(all)(
  '%s: readiness on /readyz, liveness on /livez of the watchdog, startup on /startupz',
  (_file, described) => {
    const { startup, readiness, liveness, env } = described;
    const paths = [startup?.path ?? '/startupz', readiness?.path ?? '/readyz', liveness?.path ?? '/livez'];
    expect(paths).toEqual(['/startupz', '/readyz', '/livez']);
    // What asks the process itself needs the probes turned on.
    if (Object.keys(env).length > 0) expect(env).toMatchObject({ HEALTH_PROBES: 'true' });
    if (liveness?.port !== undefined) expect(String(liveness.port)).toBe(env['HEALTH_WATCHDOG_PORT']);
    for (const { port } of [startup ?? {}, readiness ?? {}]) {
      if (port !== undefined && env['PORT'] !== undefined) expect(String(port)).toBe(env['PORT']);
    }
    // Peers are asked on the application's port.
    if (described.peers !== undefined) expect(described.peers).toMatch(/^[a-z.-]+:8000$/);
  },
);

const program = `
import { createServer } from 'node:http';
import { Health, listenOptions } from 'lifesign/node';
const server = createServer((_req, res) => res.end());
new Health(server, { logger: false });
server.listen(listenOptions(), () => process.send('listening'));
`;

test('a service with the variables of a file answers where the file asks', { timeout: 60_000 }, async () => {
  const services = all.filter(([, { env }]) => env['HEALTH_WATCHDOG_PORT'] !== undefined);
  expect(services.length).toBeGreaterThan(4);
  const seen = new Set<string>();
  const answersAsAsked = async ([file, described]: (typeof services)[number]) => {
    const { env } = described;
    const key = JSON.stringify([
      env['PORT'],
      env['HEALTH_WATCHDOG_PORT'],
      roles.map((role) => described[role]),
    ]);
    if (seen.has(key)) return;
    seen.add(key);
    const ports = new Map([
      [8000, await freePort()],
      [8001, await freePort()],
    ]);
    const own = { PORT: String(ports.get(8000)), HEALTH_WATCHDOG_PORT: String(ports.get(8001)) };
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...env, ...own, HOST: '127.0.0.1' },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child, 'message');
    for (const role of roles) {
      const { path, port } = described[role] ?? {};
      if (path === undefined || port === undefined) continue;
      const ask = () => fetch(`http://127.0.0.1:${ports.get(port)}${path}`).then(({ status }) => status);
      await expect.poll(() => ask().catch(String), { timeout: 10_000, message: `${file} ${role}` }).toBe(200);
    }
    const peers = await fetch(`http://127.0.0.1:${ports.get(8000)}/__peer__?check=x`);
    expect((await peers.text()).includes('"state"'), file).toBe(described.peers !== undefined);
    child.kill('SIGKILL');
  };
  await Promise.all(services.map(answersAsAsked));
});
