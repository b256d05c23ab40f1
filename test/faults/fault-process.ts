import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { until } from '../core/waiting.js';
import type { FaultSetup } from './fault-app.js';
import { observe } from './observe.js';
import { compiled } from '../compiled/index.js';

interface Stats {
  readonly runs: Readonly<Record<string, number>>;
  readonly heapUsed: number;
  readonly now: number;
  readonly resources: readonly string[];
}

/** Starts `fault-app.ts`; `stdout` is a file descriptor for its standard output. */
export async function startFaultApp(
  setup: FaultSetup,
  stdout: number | 'ignore' = 'ignore',
  env: object = {},
) {
  const file = compiled(new URL('fault-app.ts', import.meta.url));
  const child = spawn(process.execPath, ['--expose-gc', file, JSON.stringify(setup)], {
    stdio: ['ignore', stdout, 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await until(() => /^\d+\n/m.test(errors) || child.exitCode !== null);
  const port = Number(/^(\d+)\n/m.exec(errors)?.[1]);
  if (Number.isNaN(port)) throw new Error(`fault-app.ts did not start: ${errors}`);
  const origin = `http://127.0.0.1:${port}`;
  return {
    port,
    origin,
    beat: () => observe(`${origin}/__heartbeat__`),
    stats: async () => (await (await fetch(`${origin}/stats`)).json()) as Stats,
    get: async (path: string): Promise<unknown> => (await fetch(`${origin}${path}`)).json(),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Ends it by SIGTERM; the exit code. */
    async stop(): Promise<unknown> {
      child.kill('SIGTERM');
      const [code]: unknown[] = await exited;
      return code;
    },
    kill: () => void child.kill('SIGKILL'),
    errors: () => errors,
  };
}

/** The same, until the test is over. */
export async function startForTest(...args: Parameters<typeof startFaultApp>) {
  const app = await startFaultApp(...args);
  onTestFinished(app.kill);
  return app;
}
