import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { until } from '../core/waiting.js';

/** What `app.mjs` is told. */
export interface Setup {
  readonly watchdog?: object;
  readonly block?: string;
  readonly ms?: number;
  readonly drain?: object;
  readonly firstTurn?: string;
  readonly own?: boolean;
  readonly probes?: object;
  readonly handler?: 'exit' | 'ignore';
}

interface Launch {
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A log line. */
export interface Line {
  readonly Type: string;
  readonly Severity: number;
  readonly Logger: string;
  readonly Pid: number;
  readonly Fields: Readonly<Record<string, string | number>>;
}

/** A path that a block waits for, and the functions that make it and take it away. */
export function gate(): { readonly path: string; open(): void; close(): void } {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-gate-'));
  const path = join(directory, 'open');
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return { path, open: () => writeFileSync(path, ''), close: () => rmSync(path) };
}

const isLoopLine = ({ Type }: Line) => Type === 'health.loop';
const isShort = ({ Fields }: Line) =>
  String(Fields['msg']).includes('it ended before its stack was captured');

/** Starts a file of this folder as a process of its own. */
export function launch(file: string, args: readonly string[], { execArgv = [], env = {} }: Launch = {}) {
  const script = resolve(import.meta.dirname, file);
  const child = spawn(process.execPath, [...execArgv, script, inject('built'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  let ended: { code: number | null; signal: string | null } | undefined;
  child.on('close', (code, signal) => (ended = { code, signal }));
  const lines = (): Line[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line): Line => JSON.parse(line));
  return {
    child,
    stderr: () => stderr,
    stdout: () => stdout,
    lines,
    /** Lines of the watchdog's own logger. */
    allLoopLines: () => lines().filter(isLoopLine),
    /** Without the blocks that were over at once: on a busy machine, starting is one. */
    loopLines: () => lines().filter((line) => isLoopLine(line) && !isShort(line)),
    said: (text: string | RegExp) =>
      lines().find(({ Fields }) => new RegExp(text).test(String(Fields['msg']))),
    ended: () => ended,
    async exited() {
      await until(() => ended !== undefined);
      return ended;
    },
  };
}

export type Launched = ReturnType<typeof launch>;

/** The watchdog's address, once it says so. */
export async function watchdogOf(app: Launched): Promise<string> {
  await until(() => app.said('The watchdog is listening on') !== undefined || app.ended() !== undefined);
  const [port] = /\d+$/.exec(String(app.said('The watchdog is listening on')?.Fields['msg'])) ?? [];
  if (port === undefined) throw new Error(`no watchdog: ${app.stdout()} ${app.stderr()}`);
  return `http://127.0.0.1:${port}`;
}

/** The status and body of `/__lbheartbeat__` there. */
export async function ask(origin: string): Promise<{ status: number; state: string; blockedFor: number }> {
  const answer = await fetch(`${origin}/__lbheartbeat__`);
  const body: { status: string; blockedFor?: number } = await answer.json();
  return { status: answer.status, state: body.status, blockedFor: body.blockedFor ?? 0 };
}

/** Starts `app.mjs` with a watchdog that is quick to notice. */
export async function start(setup: Setup = {}, options: Launch = {}) {
  const { watchdog = { port: 0, busyAfter: 300 } } = setup;
  const app = launch('app.mjs', [JSON.stringify({ ...setup, watchdog })], options);
  await until(() => /^PORT \d+$/m.test(app.stderr()) || app.ended() !== undefined);
  const [, port] = /^PORT (\d+)$/m.exec(app.stderr()) ?? [];
  if (port === undefined) throw new Error(`app.mjs did not start: ${app.stderr()}`);
  const origin = `http://127.0.0.1:${port}`;
  return {
    ...app,
    origin,
    /** Asks for something and does not wait for it. */
    send: (path: string) => void fetch(`${origin}${path}`).catch(() => undefined),
    get: async (path: string) => (await fetch(`${origin}${path}`)).text(),
  };
}
