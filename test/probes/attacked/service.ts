import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { until } from '../../core/waiting.js';
import type { Setup } from './app.js';
import { compiled } from '../../compiled/index.js';

const shortLimits = new URL('../../faults/fleet/short-limits.ts', import.meta.url);

/** What `verdictChanged` said. */
interface Change {
  readonly live: string;
  readonly ready: string;
  readonly checks: readonly { readonly scope?: string }[];
}

/** A service in a process of its own, and what was seen of it. */
export interface Attacked {
  readonly child: ChildProcess;
  readonly framework: Setup['framework'];
  readonly port: number;
  /** The ports that answer probes over HTTP/1. */
  readonly probed: readonly number[];
  readonly changes: readonly Change[];
  /** Answers to probes: `/readyz 200`. */
  readonly answers: Set<string>;
  /** Lines of `/readyz?verbose`. */
  readonly lines: Set<string>;
}

export async function start(setup: Setup, shortened: boolean): Promise<Attacked> {
  const child = fork(compiled(new URL('app.ts', import.meta.url)), {
    execArgv: shortened ? ['--import', compiled(shortLimits)] : [],
    env: { ...process.env, SETUP: JSON.stringify(setup) },
  });
  const changes: Change[] = [];
  const { framework, healthPort } = setup;
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  child.on('message', (change: Change) => changes.push(change));
  const probed = [
    ...(framework === 'http2' ? [] : [port]),
    ...(healthPort === undefined ? [] : [healthPort]),
  ];
  const isReady = async () => (await ask(probed[0] ?? 0, '/readyz'))?.status === 200;
  await until(isReady);
  // Changes before it was ready are not those of an attack.
  changes.length = 0;
  return { child, framework, port, probed, changes, answers: new Set(), lines: new Set() };
}

/** Undefined if no answer came: a flood may leave no room for it, which is not a verdict. */
function ask(port: number, path: string): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const asked = get({ port, path, host: '127.0.0.1', agent: false, timeout: 10_000 }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      response.on('error', () => resolve(undefined));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
  });
}

/** Asks all probes once. */
export async function observe({ probed, answers, lines }: Attacked): Promise<void> {
  for (const port of probed) {
    for (const path of ['/readyz', '/livez', '/readyz?verbose']) {
      const answer = await ask(port, path);
      if (answer === undefined) continue;
      answers.add(`${path} ${answer.status}`);
      for (const line of answer.body.split('\n')) lines.add(line);
    }
  }
}

export async function stop({ child }: Attacked): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}
