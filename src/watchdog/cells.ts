import type { Look } from '../logging/stdout.js';
import type { LoopBlock } from '../core/loop.js';

/** The cells of a shared array, which both threads use without waiting. */
export const cells = {
  /** When the event loop turned last, by `clock()`. */
  beat: 0,
  /** 1 while `/__lbheartbeat__` of the application answers 503: it drains. */
  refusing: 1,
  /** 1 while the stream of the main thread has output waiting: half a line may be written. */
  midLine: 2,
  /** 1 while another inspector, debugger or profiler is at the main thread. */
  inspector: 3,
  /** 1 when the process ends. */
  ending: 4,
  /** 1 while `/livez` fails for a check of this instance. */
  wedged: 5,
  /** 1 after a request for `/livez` on this port. */
  probed: 6,
} as const;

export const cellCount = 7;

/** The data that the thread starts with. */
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
  /** The requests in progress. */
  readonly requests: SharedArrayBuffer;
  /** The file that the platform shows when the process has ended; none if it is not wanted. */
  readonly terminationLog: string | undefined;
  readonly loggerName: string;
  readonly hostname: string;
  readonly pid: number;
  /** How lines look; undefined if none are wanted. */
  readonly look: Look | undefined;
}

/** Messages of the thread, which the main thread receives when it is free again. */
export type ThreadMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'blocked'; readonly block: LoopBlock; readonly written: boolean }
  | { readonly kind: 'stuck'; readonly block: LoopBlock; readonly written: boolean }
  | { readonly kind: 'freed'; readonly block: LoopBlock };

/** Milliseconds between beats of the main thread, and between looks of the thread at them while one is overdue. */
export const stepOf = (busyAfter: number) => Math.min(100, busyAfter / 10);

/** Whole milliseconds of a monotonic clock that both threads have, as a cell holds them: they overflow. */
export function clock(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return Math.trunc(seconds * 1000 + nanoseconds / 1e6) | 0;
}
