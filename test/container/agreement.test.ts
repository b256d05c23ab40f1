import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../services/port.js';
import { deployFiles } from './deploy-files.js';
import type { Described } from './described.js';

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
  const others = [
    /^prometheus\//,
    /^ecs\/service/,
    /^kubernetes\/network-policy/,
    /^kustomize\/kustomization/,
  ];
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
      const served = env['HEALTH_PORT'] ?? env['PORT'];
      if (port !== undefined && served !== undefined) expect(String(port)).toBe(served);
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
  const services = all.filter(
    ([, described]) =>
      Object.keys(described.env).length > 0 && roles.some((role) => described[role]?.port !== undefined),
  );
  expect(services.length).toBeGreaterThan(8);
  const seen = new Set<string>();
  const answersAsAsked = async ([file, described]: (typeof services)[number]) => {
    const { env } = described;
    const names = ['PORT', 'HEALTH_PORT', 'HEALTH_WATCHDOG_PORT'].filter((name) => env[name] !== undefined);
    const key = JSON.stringify([names, roles.map((role) => described[role])]);
    if (seen.has(key)) return;
    seen.add(key);
    const ports = new Map([
      [8000, await freePort()],
      [8001, await freePort()],
      [9000, await freePort()],
    ]);
    const own = Object.fromEntries(names.map((name) => [name, String(ports.get(Number(env[name])))]));
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...env, PORT: String(ports.get(8000)), ...own, HOST: '127.0.0.1' },
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
