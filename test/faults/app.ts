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

/** Starts `drain-app.ts` on a port, any free one by default. `onShutdown` names hooks of that file. */
export async function startApp(
  options: DrainOptions = {},
  onShutdown = '',
  port = 0,
  { env }: { readonly env?: NodeJS.ProcessEnv } = {},
): Promise<App> {
  const file = compiled(new URL('drain-app.ts', import.meta.url));
  const args = [file, JSON.stringify(options), onShutdown];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env, PORT: String(port) },
  });
  const exited = once(child, 'exit');
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('\n') || child.exitCode !== null);
  const listening = Number(output.split('\n', 1)[0]);
  return {
    port: listening,
    origin: `http://127.0.0.1:${listening}`,
    signal: (name) => void child.kill(name),
    lines: () => output.trim().split('\n').slice(1),
    async exited() {
      const [code, signal]: unknown[] = await exited;
      return { code, signal };
    },
  };
}
