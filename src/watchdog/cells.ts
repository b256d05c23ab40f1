// The knowledge that the main thread and the thread of the watchdog share: cells, messages, and the lines of a block.
import type { Scalar } from '../core/heartbeat/messages.js';
import type { Level } from '../core/heartbeat/result.js';
import type { LogRecord } from '../core/log.js';
import type { LoopBlock } from '../core/loop.js';
import type { LineFormat } from '../logging/stdout.js';

/** The cells of a shared array, which both threads use without waiting. */
export const cells = {
  /** When the event loop turned last, by `clock()`. */
  beat: 0,
  /** 1 while `/__lbheartbeat__` of the application answers 503: it drains. */
  refusing: 1,
  /** 1 while the stream of the main thread has output waiting: half a line may be written. */
  midLine: 2,
  /** 1 while the port of the inspector is open, or Node profiles the main thread. */
  inspector: 3,
  /** 1 when the process ends. */
  ending: 4,
  /** 1 while `/livez` fails for a check of this instance. */
  wedged: 5,
  /** 1 after a request for `/livez` on this port. */
  probed: 6,
} as const;

export const cellCount = 7;

/** The `workerData` of the thread. */
export interface ThreadData {
  readonly cells: Int32Array;
  readonly host: string;
  readonly port: number;
  readonly busyAfter: number;
  readonly stuckAfter: number;
  /** Whether it is the main thread that is watched: the inspector reaches no other. */
  readonly inMainThread: boolean;
  /** The paths of the probe `/livez`; none without probes. */
  readonly live: readonly string[];
  /** Where `/__lbheartbeat__` is answered. */
  readonly up: readonly string[];
  /** The memory of the requests in progress. */
  readonly requests: SharedArrayBuffer;
  /** The file that the platform shows when the process has ended; undefined if the option is off. */
  readonly terminationLog: string | undefined;
  readonly loggerName: string;
  readonly hostname: string;
  readonly pid: number;
  /** The format of log lines; undefined if nothing is logged. */
  readonly format: LineFormat | undefined;
}

/** Messages of the thread, which the main thread receives when it is free again. `written`: whether their line is in the log. */
export type ThreadMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'blocked' | 'stuck'; readonly block: LoopBlock; readonly written: boolean }
  | { readonly kind: 'freed'; readonly block: LoopBlock };

/** Milliseconds between beats of the main thread, and between the thread's polls of them while one is overdue. */
export const beatInterval = (busyAfter: number) => Math.min(100, busyAfter / 10);

/** Whole milliseconds of a monotonic clock that both threads have, as a cell holds them: they overflow. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return Math.trunc(seconds * 1000 + nanoseconds / 1e6) | 0;
}

/** The line of a block that was noticed. */
export function blockedRecord(block: LoopBlock): LogRecord {
  const msg = `The event loop has been blocked for ${block.blockedFor} ms${where(block)}`;
  return record(30, msg, block, true);
}

/** Why a process whose event loop is stuck is restarted. */
export function stuckWords(block: LoopBlock): string {
  const { method, path } = block;
  const request = method === undefined || path === undefined ? '' : `, request: ${method} ${path}`;
  return `The event loop is stuck: it has been blocked for ${block.blockedFor} ms${where(block)}${request}`;
}

/** The line of a block that has lasted so long that the process should be restarted. */
export const stuckRecord = (block: LoopBlock): LogRecord => record(40, stuckWords(block), block, false);

/** The line of a block that has ended; with its stack if no line before it had that. */
export function freedRecord(block: LoopBlock, withStack: boolean): LogRecord {
  const msg = `The event loop is free again; it was blocked for ${block.blockedFor} ms${where(block)}`;
  return record(20, msg, block, withStack);
}

function record(level: Exclude<Level, 0>, msg: string, block: LoopBlock, withStack: boolean): LogRecord {
  const { blockedFor, culprit, rid, method, path, requests, stack, noStack } = block;
  const all = { blockedFor, culprit, rid, method, path, requests, ...(withStack && { stack, noStack }) };
  const fields: Record<string, Scalar> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) fields[name] = value;
  return { logger: 'health.loop', level, time: Date.now(), fields, msg };
}

function where({ culprit, noStack, requests }: LoopBlock): string {
  if (culprit !== undefined) return ` in ${culprit}`;
  const inProgress = requests === undefined ? '' : `; requests in progress: ${requests}`;
  return noStack === undefined ? '' : ` (${noStack}${inProgress})`;
}
