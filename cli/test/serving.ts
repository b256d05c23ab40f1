import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A `lifesign-cli serve` under test. */
export interface Serving {
  readonly origin: string;
  readonly child: ChildProcess;
  /** All it has written, on both streams. */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

interface Started {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** The options that let it listen on a free port. */
  readonly where?: readonly string[];
}

/** Starts a command line and waits until it says where it listens. */
export async function serving(
  command: readonly string[],
  { cwd, env = {}, where = ['--port', '0', '--host', '127.0.0.1'] }: Started = {},
): Promise<Serving> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, ...where], {
    cwd,
    env: { PATH: process.env['PATH'], HEALTH_DRAIN_DELAY: '0', ...env },
    // A group of its own: npx does not hand signals on.
    detached: true,
  });
  let output = '';
  child.stdout.on('data', (bytes) => (output += String(bytes)));
  child.stderr.on('data', (bytes) => (output += String(bytes)));
  // A test that fails half-way leaves no service behind.
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
    }
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const origin = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [, found] = /^lifesign-cli \w+ (http:\/\/[^/\s]+)(?:\/__heartbeat__)?$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${output}`)));
  });
  return {
    origin,
    child,
    output: () => output,
    stop(signal = 'SIGTERM') {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
      return ended;
    },
  };
}
