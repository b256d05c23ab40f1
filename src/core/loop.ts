import { shared } from './runtime.js';

/** A block of the event loop, as the watchdog saw it. */
export interface LoopBlock {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds: in `loopBlocked` until it was detected, in `loopFreed` until it ended. */
  readonly blockedFor: number;
  /** The code that ran: `parseCsv (report.js:12)`. Undefined without a stack. */
  readonly culprit: string | undefined;
  /** The stack of the main thread, without secrets, one frame per line. */
  readonly stack: string | undefined;
  /** Why there is no stack, if there is none. */
  readonly noStack: string | undefined;
  /** The id of the current request, if known. */
  readonly rid: string | undefined;
  readonly method: string | undefined;
  readonly path: string | undefined;
  /** Without a stack: the HTTP requests in progress, the latest first, as `POST /report, GET /orders/7 and 3 more`. */
  readonly requests?: string | undefined;
}

/** The last block of this process, for `checks.eventLoop` and the health page; none without a watchdog. */
export const loop: {
  last?: LoopBlock;
  /** How many there were, and how many milliseconds they took, those that have ended. */
  blocks: number;
  blockedFor: number;
} = /* @__PURE__ */ shared('loop', () => ({
  blocks: 0,
  blockedFor: 0,
}));

/** Writes down why the process ends: the watchdog, if it is on. The text must be without secrets. */
export const lastWords: { say?: ((words: string) => void) | undefined } = /* @__PURE__ */ shared(
  'lastWords',
  () => ({}),
);
