import { spawn } from 'node:child_process';
import { freePort } from '../services/port.js';

export interface Running {
  readonly origin: string;
  /** What it printed so far, on both streams. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/** Starts a program that listens on `PORT` and waits until `/__lbheartbeat__` answers. */
export async function start(command: readonly [string, ...string[]], cwd: string): Promise<Running> {
  const port = await freePort();
  const [program, ...args] = command;
  const child = spawn(program, args, { cwd, env: { ...process.env, PORT: String(port) } });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const origin = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended:\n${output}`);
    const up = await fetch(`${origin}/__lbheartbeat__`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (up) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    origin,
    output: () => output,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
