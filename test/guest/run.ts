import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Case } from './cases.js';

const application = join(import.meta.dirname, 'application.mjs');

/** What a process did, as far as others can see it. */
export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the application noted. */
  readonly notes: readonly string[];
  /** What it said on standard output, where that can be read. */
  readonly said: readonly string[];
  /** Whether lifesign logged the request. */
  readonly summaries: number;
  readonly ms: number;
}

/** Runs the program on a terminal, and ends as it did. */
const onTerminal = `
import os, pty, signal, sys
pid, master = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
while True:
    try: data = os.read(master, 65536)
    except OSError: break
    if not data: break
    os.write(1, data)
status = os.waitpid(pid, 0)[1]
if os.WIFSIGNALED(status):
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
sys.exit(os.WEXITSTATUS(status))
`;

/** Runs a case; `lifesign: 'none'` is the same application without it. */
export async function run(
  one: Omit<Case, 'lifesign'> & { readonly lifesign: Case['lifesign'] | 'none' },
  { node, built, directory }: { node: string; built: string; directory: string },
): Promise<Outcome> {
  const isAuto = one.lifesign.startsWith('auto');
  const auto = isAuto ? ['--import', join(built, 'auto.js')] : [];
  const program = [node, ...auto, application, JSON.stringify(one)];
  const [file = '', ...args] =
    one.stdout === 'terminal'
      ? ['python3', '-c', onTerminal, ...program]
      : one.stdout === 'closed'
        ? ['/bin/sh', '-c', 'exec "$@" >&-', 'sh', ...program]
        : program;
  const output = open(one.stdout, join(directory, `output-${Math.random()}`));
  const began = performance.now();
  const child = spawn(file, args, {
    stdio: ['ignore', output.stdout, 'ignore', 'pipe'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      // This test runner's own variables would keep lifesign/auto out.
      HEALTH_AUTO: 'true',
      HEALTH_LOG_FORMAT: 'json',
      LIFESIGN: join(built, 'dist/frameworks/node.js'),
      ...(one.lifesign === 'auto with drain' && {
        HEALTH_DRAIN: 'true',
        HEALTH_DRAIN_DELAY: '0',
        HEALTH_DRAIN_TIMEOUT: '300ms',
      }),
    },
  });
  const written = output.read(child);
  const notes: string[] = [];
  let pid = 0;
  linesOf(child.stdio[3] as Readable, (line) => {
    const ready = /^ready (\d+)$/.exec(line);
    if (ready === null) notes.push(line);
    else {
      pid = Number(ready[1]);
      if (one.handler !== 'emitted') process.kill(pid, one.signal);
    }
  });
  const limit = setTimeout(() => {
    notes.push('did not end');
    if (pid > 0) process.kill(pid, 'SIGKILL');
    child.kill('SIGKILL');
  }, 40_000);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  clearTimeout(limit);
  const lines = (await written).replaceAll('\r', '').split('\n');
  output.close();
  return {
    code,
    signal,
    notes,
    said: lines.filter((line) => line.startsWith('app: ')),
    summaries: lines.filter((line) => line.includes('"Type":"request.summary"')).length,
    ms: performance.now() - began,
  };
}

function linesOf(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(onLine);
  });
}

interface Output {
  readonly stdout: number | 'pipe';
  read(child: ChildProcess): Promise<string>;
  close(): void;
}

function open(kind: Case['stdout'], path: string): Output {
  if (kind === 'socket' || kind === 'terminal') {
    return { stdout: 'pipe', read: (child) => text(child.stdout as Readable), close() {} };
  }
  if (kind === 'file' || kind === 'closed') {
    const stdout = openSync(path, 'w');
    return {
      stdout,
      read: (child) => once(child, 'close').then(() => readFileSync(path, 'utf8')),
      close() {
        closeSync(stdout);
        rmSync(path);
      },
    };
  }
  // A real pipe: that of `spawn` is a socket.
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stdout = openSync(path, constants.O_WRONLY);
  if (kind === 'stuck') fill(path);
  rmSync(path);
  return {
    stdout,
    read() {
      // The child has it.
      closeSync(stdout);
      if (kind === 'gone') closeSync(reader);
      if (kind !== 'pipe') return Promise.resolve('');
      return text(new Socket({ fd: reader, readable: true, writable: false }));
    },
    close() {
      if (kind === 'stuck') closeSync(reader);
    },
  };
}

/** Writes until there is no room for a single byte. */
function fill(path: string): void {
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  for (const size of [4096, 1]) {
    try {
      for (;;) writeSync(writer, Buffer.alloc(size, 'x'));
    } catch {
      // Full.
    }
  }
  closeSync(writer);
}
