import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { pause } from '../../core/waiting.js';

export interface Line {
  readonly Type: string;
  readonly Fields: {
    readonly id: number;
    readonly n: number;
    readonly after: number;
    readonly dropped?: number;
  };
}

/** A directory for processes that write, and the bundled program: a loader of TypeScript in each would cost more than the tests. */
export async function workshop(program: URL): Promise<{ directory: string; program: string; close(): void }> {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-stdout-'));
  const outfile = join(directory, 'program.mjs');
  await build({
    entryPoints: [fileURLToPath(program)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return { directory, program: outfile, close: () => rmSync(directory, { recursive: true }) };
}

/** How a reader reads: so many bytes, then a pause of milliseconds, both anew for each read. */
export interface Reading {
  readonly bytes: () => number;
  readonly pause: () => number;
}

export interface Writer {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** What it wrote to descriptor 3. */
  told(): Record<string, number>[];
}

export interface PipeWriter extends Writer {
  /** Reads a while, or until all writers are gone. */
  read(reading: Reading, until?: () => boolean): Promise<string>;
  /** Nobody reads any more. */
  close(): void;
}

/** Starts a program with a file as standard output, as a shell does with `>>`. */
export function startOnFile(directory: string, file: string, args: readonly string[]): Writer {
  return start(directory, openSync(file, 'a'), args);
}

/** Starts a program with a real pipe as standard output; `spawn` itself would give it a socket. */
export function startOnPipe(directory: string, args: readonly string[]): PipeWriter {
  const name = join(directory, `pipe-${Math.random()}`);
  execFileSync('mkfifo', [name]);
  const reader = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = start(directory, openSync(name, constants.O_WRONLY), args);
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(reader);
    isOpen = false;
  };
  return {
    ...writer,
    async read(reading, until = () => false) {
      const chunks: Buffer[] = [];
      for (;;) {
        if (!isOpen || until()) break;
        const chunk = Buffer.alloc(reading.bytes());
        try {
          const length = readSync(reader, chunk);
          if (length === 0) close();
          chunks.push(chunk.subarray(0, length));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
        }
        await pause(reading.pause());
      }
      return Buffer.concat(chunks).toString();
    },
    close,
  };
}

/** Starts a program with a socket as standard output, as a parent process in Node does. */
export function startOnSocket(directory: string, args: readonly string[]): Writer & Pick<PipeWriter, 'read'> {
  const writer = start(directory, 'pipe', args);
  return {
    ...writer,
    async read(reading) {
      const chunks: Buffer[] = [];
      for await (const chunk of writer.child.stdout ?? []) {
        chunks.push(chunk);
        await pause(reading.pause());
      }
      return Buffer.concat(chunks).toString();
    },
  };
}

function start(directory: string, stdout: number | 'pipe', args: readonly string[]): Writer {
  const tellTo = join(directory, `told-${Math.random()}`);
  const told = openSync(tellTo, 'a');
  // A group of its own: it can be killed with its children.
  const child = spawn(process.execPath, args, { detached: true, stdio: ['ignore', stdout, 'ignore', told] });
  if (stdout !== 'pipe') closeSync(stdout);
  closeSync(told);
  return {
    child,
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal]))),
    told: () =>
      readFileSync(tellTo, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, number>),
  };
}

/** The lines of an output; throws at one that cannot be parsed. */
export function parse(output: string): Line[] {
  const lines = output.split('\n');
  if (lines.pop() !== '') throw new Error('the last line is cut');
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Line;
    } catch {
      throw new Error(
        `line ${index + 1} of ${lines.length} is torn: ${line.slice(0, 80)} … ${line.slice(-80)}`,
      );
    }
  });
}
