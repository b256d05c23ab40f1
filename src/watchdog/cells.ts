import type { LoopBlock } from '../core/loop.js';

/** What the two threads tell each other without waiting: the places of a shared array. */
export const cells = {
  /** Goes up while the event loop turns. */
  beats: 0,
  /** 1 while `/__lbheartbeat__` of the application answers 503: it drains. */
  refusing: 1,
  /** 1 while standard output has half a line of the main thread. */
  midLine: 2,
  /** 1 while another inspector, debugger or profiler is at the main thread. */
  inspector: 3,
  /** 1 when the process ends. */
  ending: 4,
} as const;

export const cellCount = 5;

/** What the thread is given when it starts. */
export interface ThreadData {
  readonly cells: Int32Array;
  readonly host: string;
  readonly port: number;
  readonly busyAfter: number;
  readonly stuckAfter: number;
  readonly loggerName: string;
  readonly hostname: string;
  readonly pid: number;
  /** How lines look; undefined where none are wanted. */
  readonly look: { readonly pretty: boolean; readonly colourful: boolean } | undefined;
}

/** What the thread tells the main thread, which hears it when it is free again. */
export type ThreadMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'blocked'; readonly block: LoopBlock; readonly written: boolean }
  | { readonly kind: 'freed'; readonly block: LoopBlock };

/** Milliseconds between beats of the main thread, and between looks of the thread at them. */
export const beatEvery = (busyAfter: number) => Math.min(100, busyAfter / 5);
export const lookEvery = (busyAfter: number) => Math.min(100, busyAfter / 10);
