import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DrainOptions } from 'lifesign/drain';
import { until } from '../core/waiting.js';
import { compiled } from '../compiled/index.js';

/** An application that drains, as a process of its own. */
export interface App {
  readonly port: number;
  readonly origin: string;
  signal(name: NodeJS.Signals): void;
  /** What it printed, its port left out. */
  lines(): readonly string[];
  exited(): Promise<{ code: unknown; signal: unknown }>;
}

/** How it is started: variables, and whether by a shell, which gets each signal too and ends by it. */
interface Surroundings {
  readonly env?: NodeJS.ProcessEnv;
  readonly shell?: boolean;
}

/** Starts `drain-app.ts` on a port, any free one by default. `onShutdown` names hooks of that file. */
export async function startApp(
  options: DrainOptions = {},
  onShutdown = '',
  port = 0,
  { env, shell = false }: Surroundings = {},
): Promise<App> {
  const file = compiled(new URL('drain-app.ts', import.meta.url));
  const args = [file, JSON.stringify(options), onShutdown];
  const [command, ...rest] = shell
    ? ['/bin/sh', '-c', '"$@"; exit $?', 'sh', process.execPath, ...args]
    : [process.execPath, ...args];
  const child: ChildProcess = spawn(command ?? '', rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, PORT: String(port) },
    detached: shell,
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('\n') || child.exitCode !== null);
  const listening = Number(output.split('\n', 1)[0]);
  return {
    port: listening,
    origin: `http://127.0.0.1:${listening}`,
    signal: (name) => void (shell ? signalGroup(child.pid, name) : child.kill(name)),
    lines: () => output.trim().split('\n').slice(1),
    async exited() {
      const [code, signal]: unknown[] = await exited;
      return { code, signal };
    },
  };
}

function signalGroup(leader: number | undefined, name: NodeJS.Signals): void {
  try {
    if (leader !== undefined) process.kill(-leader, name);
  } catch {
    // All of them are gone.
  }
}
