// The entry of the thread beside the event loop: this file and those in thread/ run there, and no code of the application.
import { parentPort, workerData } from 'node:worker_threads';
import type { LoopBlock } from '../core/loop.js';
import { textIn } from '../core/objects.js';
import { JsonLogFormatter } from '../logging/formatter.js';
import { PrettyFormatter } from '../logging/pretty.js';
import {
  blockedRecord,
  cells,
  stuckRecord,
  stuckWords,
  type ThreadData,
  type ThreadMessage,
} from './cells.js';
import { writeTermination } from './last-words.js';
import { serveLoop } from './thread/server.js';
import { Watcher } from './thread/watcher.js';

/** Bytes that a pipe takes whole (PIPE_BUF), less the line feed. */
const maxLineLength = 4095;
const descriptors = { stdout: 1, stderr: 2 } as const;
/** Milliseconds to wait for a reader, and between two tries. */
const writeTimeout = 500;
const retryAfter = 5;

/** Writes a line to the log as a whole: a pipe takes 4,096 bytes in one piece. Returns false if the pipe stays full. */
function writeLine(line: string, to: keyof typeof descriptors): boolean {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const bytes = Buffer.from(`${line}\n`);
  const deadline = performance.now() + writeTimeout;
  for (let start = 0; start < bytes.length;) {
    try {
      start += writeSync(descriptors[to], bytes, start);
    } catch (thrown) {
      const isFull = ['EAGAIN', 'EINTR'].includes(textIn(Object(thrown), 'code') ?? '');
      if (!isFull || performance.now() > deadline) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfter);
    }
  }
  return true;
}

function send(message: ThreadMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads has no origin
  parentPort?.postMessage(message);
}

function run(data: ThreadData): void {
  const { format, loggerName, hostname, pid } = data;
  const formatter =
    format?.pretty === true
      ? new PrettyFormatter(format.colourful)
      : new JsonLogFormatter({ loggerName, hostname, pid });
  /** False if the main thread has to write the line once it is free: half a line of its own may be in the pipe. */
  const write = (line: () => string): boolean =>
    format !== undefined && Atomics.load(data.cells, cells.midLine) === 0 && writeLine(line(), format.to);

  /** Shortens the stack until the line fits. */
  const blockedLine = (block: LoopBlock): string => {
    const line = formatter.format(blockedRecord(block));
    if (Buffer.byteLength(line) <= maxLineLength || block.stack === undefined) return line;
    const frames = block.stack.split('\n');
    const stack = frames.length < 2 ? undefined : [...frames.slice(0, -2), '…'].join('\n');
    return blockedLine({ ...block, stack });
  };

  const watcher = new Watcher(data, (kind, block) => {
    if (kind === 'freed') return send({ kind, block });
    if (kind === 'stuck') writeTermination(data.terminationLog, stuckWords(block));
    const line = () => (kind === 'stuck' ? formatter.format(stuckRecord(block)) : blockedLine(block));
    send({ kind, block, written: write(line) });
  });
  watcher.start();
  serveLoop(data, () => watcher.state(), send);
}

run(workerData);
