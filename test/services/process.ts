import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningService } from './service.js';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly url: string;
  readonly directory: string;
  /** Resolves when the server answers; by default when its port accepts connections. */
  readonly ready?: () => Promise<void>;
}

/** A directory of its own for one server. */
export function serverDirectory(name: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `lifesign-${name}-`));
}

/**
 * The files of a new server: made once on a machine and then copied, because making them takes a second of CPU. `program` makes them,
 * and another version of it makes others.
 */
export async function copyOfNew(
  program: string,
  to: string,
  make: (directory: string) => Promise<void>,
): Promise<void> {
  const templates = join(tmpdir(), 'lifesign-templates');
  const { mtimeMs } = await stat(program);
  const template = join(templates, `${program.replaceAll('/', '-').slice(1)}-${mtimeMs}`);
  const isThere = () =>
    access(template).then(
      () => true,
      () => false,
    );
  if (!(await isThere())) {
    await mkdir(templates, { recursive: true });
    const made = await mkdtemp(join(templates, 'making-'));
    await make(made);
    // Others may have made it meanwhile.
    await rename(made, template).catch(() => rm(made, { recursive: true }));
  }
  await runProgram('cp', ['-a', template, to]);
}

/** Starts a server, waits until it answers, and sees to it that it ends with this process. */
export async function runServer(server: ServerCommand): Promise<RunningService> {
  const remove = () => rm(server.directory, { recursive: true, force: true, maxRetries: 5 });
  let child = await launch(server).catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const pids = family(child);
    for (const pid of pids) send(pid, 'SIGKILL');
    await ended;
    // Those that it started may take longer, and hold its port until then.
    while (!pids.every(hasEnded)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  return {
    url: server.url,
    port: server.port,
    get pid() {
      return child.pid ?? 0;
    },
    freeze() {
      const pids = family(child);
      for (const pid of pids) send(pid, 'SIGSTOP');
      // The signal is only on its way: a thread may still answer.
      while (!pids.every(isStopped));
    },
    thaw() {
      for (const pid of family(child)) send(pid, 'SIGCONT');
    },
    kill,
    async restart() {
      child = await launch(server);
    },
    async stop() {
      await kill();
      await remove();
    },
  };
}

async function launch(server: ServerCommand): Promise<ChildProcess> {
  const child = spawn(server.command, server.args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  // A server that still writes is still starting: RabbitMQ needs a minute on a busy machine.
  let deadline = Date.now() + 60_000;
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-4000);
    deadline = Date.now() + 60_000;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  child.once('exit', () => process.off('exit', onExit));
  let failed: Error | undefined;
  child.once('error', (error) => {
    failed = error;
  });
  for (;;) {
    if (failed !== undefined) throw failed;
    if (child.exitCode !== null) throw new Error(`${server.command} ended at once:\n${output}`);
    try {
      await (server.ready ?? (() => accepts(server.port)))();
      return child;
    } catch (error) {
      if (Date.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`${server.command} gave no answer:\n${output}`, { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

/** Resolves when something listens on a loopback port. */
export async function accepts(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}

/** Runs a program to its end; rejects with what it printed when it fails. */
export async function runProgram(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed (${code}):\n${output.slice(-2000)}`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}

function hasEnded(pid: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

function isStopped(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) =>
      /\) [TtZX] /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
    );
  } catch {
    return true;
  }
}

/** A server and the processes it started: PostgreSQL has one for each connection. */
function family(child: ChildProcess): readonly number[] {
  if (child.pid === undefined) return [];
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended in between.
    }
  }
  const found = [child.pid];
  for (const pid of found) for (const [other, parent] of parents) if (parent === pid) found.push(other);
  return found;
}
