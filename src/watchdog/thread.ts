// The thread beside the event loop: this file and those in thread/ run there, and nothing of the application does.
import { parentPort, workerData } from 'node:worker_threads';
import type { LoopBlock } from '../core/loop.js';
import { JsonLogFormatter } from '../logging/formatter.js';
import { PrettyFormatter } from '../logging/pretty.js';
import type { OutputName } from '../logging/stdout.js';
import { cells, type ThreadData, type ThreadMessage } from './cells.js';
import { blockedRecord, stuckRecord, stuckWords } from './records.js';
import { writeTermination } from './last-words.js';
import { serveLoop } from './thread/server.js';
import { Watcher } from './thread/watcher.js';

/** Bytes that a pipe takes whole (PIPE_BUF), less the line feed. */
const maxLineLength = 4095;

const descriptors: Readonly<Record<OutputName, number>> = { stdout: 1, stderr: 2 };
/** Milliseconds to wait for a reader, and between looks. */
const writeTimeout = 500;
const retryAfter = 5;

/**
 * Writes a line to the log, whole or not at all: a pipe takes 4,096 bytes in one piece. False if it has no
 * room, or half a line is in it: then the main thread writes it when it is free again.
 */
function writeLine(line: string, to: OutputName, isMidLine: () => boolean): boolean {
  const { writeSync } = process.getBuiltinModule('node:fs');
  const bytes = Buffer.from(`${line}\n`);
  const deadline = performance.now() + writeTimeout;
  let start = 0;
  while (start < bytes.length) {
    if (start === 0 && isMidLine()) return false;
    try {
      start += writeSync(descriptors[to], bytes, start);
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
      if (code !== 'EAGAIN' && code !== 'EINTR') return false;
      // Half a line is finished, however long its reader takes; only the main thread could write here too.
      if (start === 0 && performance.now() > deadline) return false;
      if (performance.now() > deadline + 10 * writeTimeout) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfter);
    }
  }
  return true;
}

function send(message: ThreadMessage): void {
  // A port of threads has no origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort?.postMessage(message);
}

function run(data: ThreadData): void {
  const { look, loggerName, hostname, pid } = data;
  const formatter =
    look?.pretty === true
      ? new PrettyFormatter(look.colourful)
      : new JsonLogFormatter({ loggerName, hostname, pid });
  const isMidLine = () => Atomics.load(data.cells, cells.midLine) !== 0;

  /** Shorter stacks until the line fits. */
  const lineOf = (block: LoopBlock): string => {
    const line = formatter.format(blockedRecord(block, Date.now()));
    if (Buffer.byteLength(line) <= maxLineLength || block.stack === undefined) return line;
    const frames = block.stack.split('\n');
    const stack = frames.length < 2 ? undefined : [...frames.slice(0, -2), '…'].join('\n');
    return lineOf({ ...block, stack });
  };

  const watcher = new Watcher(data, {
    blocked(block) {
      const written = look !== undefined && writeLine(lineOf(block), look.to, isMidLine);
      send({ kind: 'blocked', block, written });
    },
    stuck(block) {
      writeTermination(data.terminationLog, stuckWords(block));
      const line = () => formatter.format(stuckRecord(block, Date.now()));
      const written = look !== undefined && writeLine(line(), look.to, isMidLine);
      send({ kind: 'stuck', block, written });
    },
    freed: (block) => send({ kind: 'freed', block }),
  });
  watcher.start();
  serveLoop(data, () => watcher.state(), {
    listening: (port) => send({ kind: 'listening', port }),
    refused: (reason) => send({ kind: 'refused', reason }),
    probed: () => Atomics.store(data.cells, cells.probed, 1),
  });
}

run(workerData);
