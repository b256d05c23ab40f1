import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Io } from '../../../src/tools.js';
import { isRecord } from '../json.js';
import type { Found } from './plan.js';
import type { Project } from './project.js';

/** Milliseconds for the first answer of the service, and for its end. */
const patience = 60_000;
const grace = 10_000;

/** Installs the package, starts the service and verifies it; false if that was possible and failed. */
export async function tryOut(
  project: Project,
  { serving: { port, isPlain } }: Found,
  io: Io,
): Promise<boolean> {
  const { directory, manager, scripts } = project;
  const line = (text: string): void => void io.stderr.write(`${text}\n`);
  const run = (...args: readonly string[]): Promise<boolean> =>
    succeeds(spawn(manager, args, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] }));
  if (!isInstalled(directory, 'lifesign')) {
    line(`Installing: ${manager} install`);
    if (!(await run('install'))) {
      line(
        `${manager} install failed: install lifesign yourself, then run lifesign-cli verify on its address`,
      );
      return false;
    }
  }
  if (scripts['build'] !== undefined) {
    line(`Building: ${manager} run build`);
    if (!(await run('run', 'build'))) {
      line('The build failed');
      return false;
    }
  }
  const why = isPlain ? 'There is no start script' : 'The service answers over TLS or HTTP/2';
  if (scripts['start'] === undefined || !isPlain) {
    line(`${why}: start the service, then run lifesign-cli verify on its address`);
    return true;
  }
  return await startAndVerify(project, port, io);
}

function isInstalled(directory: string, name: string): boolean {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name, 'package.json'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

async function startAndVerify(
  { directory, manager }: Project,
  usual: number | undefined,
  io: Io,
): Promise<boolean> {
  const free = await freePort();
  // The manifests that init changes turn the probes on, too.
  const env = { HEALTH_PROBES: 'true', ...process.env, PORT: String(free) };
  io.stderr.write(`Starting: HEALTH_PROBES=${env.HEALTH_PROBES} PORT=${free} ${manager} run start\n`);
  // A group of its own: the package manager, the shell and the service end together.
  const child = spawn(manager, ['run', 'start'], {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  child.on('error', () => {});
  // The group does not get the signals of the terminal.
  const interrupted = (): void => void end(child).then(() => process.exit(130));
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    const base = await answering(child, usual === undefined || usual === free ? [free] : [free, usual]);
    if (base === undefined) {
      io.stderr.write(
        'The service did not answer on /__lbheartbeat__: start it yourself, then run lifesign-cli verify on its address\n',
      );
      return false;
    }
    const { command } = await import('../verify/command.js');
    const isGood = (await command.run([base], io)) === 0;
    for (const text of await healthOf(base)) io.stderr.write(`${text}\n`);
    return isGood;
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await end(child);
  }
}

/** The heartbeat of a service and whether it is ready, in lines. */
async function healthOf(base: string): Promise<string[]> {
  const lines: string[] = [];
  for (const path of ['/__heartbeat__', '/readyz']) {
    const answer = await fetch(base + path, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
    const body: unknown = await answer?.json().catch(() => undefined);
    const { status, checks, details } = isRecord(body) ? body : {};
    lines.push([path, answer?.status ?? 'did not answer', status].filter(Boolean).join(' '));
    for (const [name, word] of Object.entries(isRecord(checks) ? checks : {})) {
      const detail = isRecord(details) ? details[name] : undefined;
      const messages = isRecord(detail) && isRecord(detail['messages']) ? detail['messages'] : {};
      const texts = Object.entries(messages).map(([id, text]) => `${id} ${String(text)}`);
      lines.push([`  ${name} ${String(word)}`, ...texts].join(': '));
    }
    if (path === '/__heartbeat__' && !isRecord(checks))
      lines.push('Its checks are hidden, by details or DEBUG');
    else if (isRecord(checks) && Object.keys(checks).length === 0) lines.push('no checks are registered');
  }
  return lines;
}

/** Ends a process with everything that it started: a service that does not end by itself is killed. */
async function end(child: ChildProcess): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has ended already.
    }
  };
  const closed =
    child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve();
  signal('SIGTERM');
  const timer = setTimeout(signal, grace, 'SIGKILL');
  await closed;
  clearTimeout(timer);
  // The package manager may end before the service does.
  signal('SIGKILL');
}

/** The address that answers; undefined if the process ends or none does in time. */
async function answering(child: ChildProcess, ports: readonly number[]): Promise<string | undefined> {
  const until = performance.now() + patience;
  while (performance.now() < until && child.exitCode === null && child.signalCode === null) {
    for (const port of ports) {
      const base = `http://127.0.0.1:${port}`;
      const answer = await fetch(`${base}/__lbheartbeat__`, { signal: AbortSignal.timeout(2000) }).catch(
        () => undefined,
      );
      await answer?.arrayBuffer();
      if (answer?.status === 200) return base;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return undefined;
}

const succeeds = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
