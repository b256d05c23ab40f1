import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { until } from '../core/waiting.js';
import { freePort } from '../services/port.js';

export interface Line {
  readonly Type: string;
  readonly Severity: number;
  readonly Fields: Readonly<Record<string, string | number>>;
}

/** A directory that has the package installed, and files of its own. */
export function directoryWith(files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-auto-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  installInto(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

export function installInto(directory: string): void {
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  rmSync(join(directory, 'node_modules/lifesign'), { recursive: true, force: true });
  symlinkSync(inject('built'), join(directory, 'node_modules/lifesign'));
}

const applications = join(import.meta.dirname, 'apps');

interface Started {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How lifesign/auto is loaded; by NODE_OPTIONS with `--import` where nothing is said. */
  readonly options?: string;
  readonly port?: number;
  /** The binary of another Node. */
  readonly node?: string;
  /** Whether it is waited for until its port answers. */
  readonly listens?: boolean;
}

/** A process with lifesign/auto that serves an application. */
export interface Running {
  readonly port: number;
  readonly origin: string;
  readonly child: ChildProcess;
  /** Records on standard output. */
  lines(): readonly Line[];
  stdout(): string;
  stderr(): string;
  /** The fields of the summaries, once there are as many. */
  summaries(count: number): Promise<readonly Line['Fields'][]>;
  exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Starts `node ARGS` with nothing but variables, and waits until it listens. */
export async function start(args: readonly string[], started: Started = {}): Promise<Running> {
  const { cwd = directoryWith(), env = {}, options = '--import lifesign/auto', listens = true } = started;
  const port = started.port ?? (await freePort());
  const child = spawn(started.node ?? process.execPath, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      PORT: String(port),
      NODE_OPTIONS: options,
      ...env,
    },
    // A group of its own: what it has started ends with it.
    detached: true,
  });
  onTestFinished(() => endGroup(child));
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (piece) => (stdout += String(piece)));
  child.stderr.on('data', (piece) => (stderr += String(piece)));
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const lines = () =>
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{"Timestamp"'))
      .map((line): Line => JSON.parse(line));
  const fields = () => lines().flatMap(({ Type, Fields }) => (Type === 'request.summary' ? [Fields] : []));
  if (listens) {
    await until(() => accepts(port, child, () => stdout + stderr), 60_000);
  }
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    child,
    lines,
    stdout: () => stdout,
    stderr: () => stderr,
    async summaries(count) {
      await until(() => fields().length >= count);
      return fields();
    },
    exited,
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

/** Asks with a connection that sends nothing: it leaves no line. */
async function accepts(port: number, child: ChildProcess, output: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output()}`);
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** One of the applications beside this file. */
export const startApplication = (
  name: string,
  form: 'cjs' | 'mjs',
  started: Started = {},
): Promise<Running> => start([join(applications, `application.${form}`), name], started);
