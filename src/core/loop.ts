import { shared } from './shared.js';

/** A block of the event loop, as the watchdog saw it. */
export interface LoopBlock {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds: until it was noticed in `loopBlocked`, until its end in `loopFreed`. */
  readonly blockedFor: number;
  /** What ran: `parseCsv (report.js:12)`. Undefined where there is no stack. */
  readonly culprit: string | undefined;
  /** The stack of the main thread, without secrets, one frame a line. */
  readonly stack: string | undefined;
  /** Why there is no stack, where there is none. */
  readonly noStack: string | undefined;
  /** The request under way, where the context knows it. */
  readonly rid: string | undefined;
  readonly method: string | undefined;
  readonly path: string | undefined;
}

/** The last block of this process, for `checks.eventLoop` and the health page; none without a watchdog. */
export const loop: {
  last?: LoopBlock;
  /** How many there were, and how many milliseconds they took, those that are over. */
  blocks: number;
  blockedFor: number;
  /** Called when it changes. */
  readonly changed: Set<() => void>;
  /** Called after somebody asked the watchdog whether to restart: the verdict has to be of now. */
  readonly probed: Set<() => void>;
} = /* @__PURE__ */ shared('loop', () => ({
  blocks: 0,
  blockedFor: 0,
  changed: new Set(),
  probed: new Set(),
}));
