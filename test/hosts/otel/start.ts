import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../../core/waiting.js';

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly path?: string;
}

export interface Exported {
  /** The attributes of the resource of each span, and of the metrics. */
  readonly resources: readonly Readonly<Record<string, unknown>>[];
  /** How many requests are in the metrics of the server. */
  readonly served: number;
  readonly spans: readonly Span[];
  readonly metrics: readonly {
    readonly name: string;
    readonly value: unknown;
    readonly attributes: Readonly<Record<string, string>>;
  }[];
}

export interface Line {
  readonly Type: string;
  readonly Fields: Readonly<Record<string, string | number>>;
}

/** Starts an application as the documentation of OpenTelemetry says, in a process of its own. */
export async function startShop(
  app: string,
  env: Readonly<Record<string, string>>,
  order: (instrumentation: string[]) => string[] = (flags) => flags,
) {
  const isModule = app.endsWith('.mjs');
  const file = join(import.meta.dirname, isModule ? 'instrumentation.mjs' : 'instrumentation.cjs');
  const child = fork(join(import.meta.dirname, 'apps', app), [], {
    execArgv: order([isModule ? '--import' : '--require', file]),
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
    cwd: import.meta.dirname,
    silent: true,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const said = async <T>(): Promise<T> => {
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${app} ended: ${stderr}`);
    });
    const [message]: [T] = await Promise.race([once(child, 'message') as Promise<[T]>, ended]);
    return message;
  };
  const { port } = await said<{ port: number }>();
  const lines = (): Line[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return {
    get: async (path: string): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      await response.text();
      return response.status;
    },
    /** The lines, once there are as many summaries. */
    lines: async (summaries: number): Promise<Line[]> => {
      await until(() => lines().filter(({ Type }) => Type === 'request.summary').length >= summaries);
      return lines();
    },
    exported: (): Promise<Exported> => {
      child.send('export');
      return said<Exported>();
    },
  };
}
