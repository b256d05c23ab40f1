import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { printable, type Io } from '../../../src/tools.js';
import type { Found } from './plan.js';
import type { Project } from './project.js';

/** Milliseconds for the first answer of the service, and for its end. */
const patience = 60_000;
const grace = 10_000;

/** Installs the package, starts the service and verifies it; false if that was possible and failed. */
export async function tryOut(
  { directory, manager, scripts }: Project,
  { serving: { port, isPlain } }: Found,
  io: Io,
): Promise<boolean> {
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  const begin = (args: readonly string[], env = process.env): ChildProcess => {
    // A group of its own: the package manager, the shell and the service end together.
    const child = spawn(manager, args, {
      cwd: directory,
      env,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return child.on('error', () => {});
  };
  const run = async (...args: readonly string[]): Promise<boolean> => {
    say(`Running: ${manager} ${args.join(' ')}`);
    const child = begin(args);
    return await whileRunning(child, async () => (await exitOf(child)) === 0);
  };
  if (!isInstalled(directory) && !(await run('install'))) {
    say(`${manager} install failed: install lifesign yourself, then run lifesign-cli verify on its address`);
    return false;
  }
  if (scripts['build'] !== undefined && !(await run('run', 'build'))) {
    say('The build failed');
    return false;
  }
  if (scripts['start'] === undefined || !isPlain) {
    const why = isPlain ? 'There is no start script' : 'The service answers over TLS or HTTP/2';
    say(`${why}: start the service, then run lifesign-cli verify on its address`);
    return true;
  }
  const free = await freePort();
  // The manifests that init changes turn the probes on, too.
  const env = { HEALTH_PROBES: 'true', ...process.env, PORT: String(free) };
  say(`Running: HEALTH_PROBES=${env.HEALTH_PROBES} PORT=${free} ${manager} run start`);
  const child = begin(['run', 'start'], env);
  return await whileRunning(child, async () => {
    const base = await answering(child, port === undefined ? [free] : [free, port]);
    if (base === undefined) {
      say(
        'The service did not answer on /__lbheartbeat__: start it yourself, then run lifesign-cli verify on its address',
      );
      return false;
    }
    const { command } = await import('../verify/command.js');
    const isGood = (await command.run([base], io)) === 0;
    for (const path of ['/__heartbeat__', '/readyz']) say(await healthOf(base, path));
    return isGood;
  });
}

function isInstalled(directory: string): boolean {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules/lifesign/package.json'))) return true;
    if (dirname(folder) === folder) return false;
  }
}

/** The status and the body of an endpoint. */
async function healthOf(base: string, path: string): Promise<string> {
  const answer = await fetch(base + path, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
  const body = await answer?.text().catch(() => undefined);
  const hint = body?.includes('"checks":{}') ? '\nno checks are registered' : '';
  return `${path} ${answer?.status ?? 'did not answer'} ${printable(body ?? '').trim()}${hint}`;
}

const exitOf = async (child: ChildProcess): Promise<number | null> => {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
    await once(child, 'exit');
  return child.exitCode;
};

/** Ends a process with everything that it started, after the task or on a signal: its group does not get the terminal's. */
async function whileRunning(child: ChildProcess, task: () => Promise<boolean>): Promise<boolean> {
  const interrupted = (): void => void end(child).then(() => process.exit(130));
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted);
  try {
    return await task();
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has ended already.
    }
  };
  signal('SIGTERM');
  const timer = setTimeout(signal, grace, 'SIGKILL');
  await exitOf(child);
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
      const signal = AbortSignal.timeout(2000);
      const answer = await fetch(`${base}/__lbheartbeat__`, { signal }).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) return base;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return undefined;
}

/** Below the ports that the system gives to outgoing connections and to servers on port 0: one of these could be taken before the service listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
