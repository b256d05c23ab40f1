import type { LoopBlock } from '../../core/loop.js';
import { clean } from '../../core/scrub/scrub.js';
import { cells, clock, stepOf, type ThreadData } from '../cells.js';
import { requestsIn } from '../../probes/requests.js';
import { describeFrames } from './frames.js';
import {
  type Circumstances,
  inNative,
  inspect,
  inWorker,
  type MainThreadState,
  sleep,
  tooShort,
} from './inspect.js';
import { Pulse } from './pulse.js';
import type { LoopState } from './server.js';

/** Stacks taken in a minute at most. */
const maxStacks = 6;
const minute = 60_000;
/** Milliseconds until native code is examined again: JavaScript may follow it within the same block. */
const firstDelay = 1000;
const maxAttempts = 5;

const tooMany = `no stack: ${maxStacks} were captured within a minute`;

/** The report of a block. */
export interface WatcherEvents {
  /** It was noticed; with its stack, or why there is none. */
  readonly blocked: (block: LoopBlock) => void;
  /** It has lasted so long that the process should be restarted. */
  readonly stuck: (block: LoopBlock) => void;
  /** It has ended. */
  readonly freed: (block: LoopBlock) => void;
}

/** Follows the beats of the main thread: notices a block, takes its stack, and reports its start and end. */
export class Watcher {
  readonly #data: ThreadData;
  readonly #events: WatcherEvents;
  readonly #pulse: Pulse;
  /** When stacks were taken. */
  #stacks: number[] = [];
  /** The block that is on; a block has one object from the start to the end of it. */
  #block: Block | undefined;

  constructor(data: ThreadData, events: WatcherEvents) {
    this.#data = data;
    this.#events = events;
    this.#pulse = new Pulse(stepOf(data.busyAfter), this.#cell('beat'), clock());
  }

  /** Polls, again and again. */
  start(): void {
    setTimeout(() => {
      this.#poll();
      this.start();
    }, this.#pulse.rest(this.#data.busyAfter));
  }

  /** For the port: polls once more, since the answer is of this moment. */
  state(): LoopState {
    this.#poll();
    const { busyAfter, stuckAfter } = this.#data;
    const blockedFor = Math.round(this.#pulse.silent);
    return {
      refusing: this.#cell('refusing') === 1,
      wedged: this.#cell('wedged') === 1,
      blockedFor,
      busy: blockedFor >= busyAfter,
      stuck: blockedFor >= stuckAfter,
    };
  }

  #cell(name: keyof typeof cells): number {
    return Atomics.load(this.#data.cells, cells[name]);
  }

  #poll(): void {
    const silent = this.#pulse.poll(this.#cell('beat'), clock());
    if (silent === undefined) {
      if (this.#block === undefined && this.#pulse.silent >= this.#data.busyAfter) void this.#begin();
      if (this.#block !== undefined && this.#pulse.silent >= this.#data.stuckAfter)
        this.#callStuck(this.#block);
    } else if (this.#block !== undefined) {
      this.#end(silent);
    }
  }

  async #begin(): Promise<void> {
    const block = new Block(this.#pulse.silent);
    this.#block = block;
    const isOn = () => {
      this.#poll();
      return this.#block === block;
    };
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = await this.#stack(isOn);
      if (!isOn()) return;
      block.add(found, this.#pulse.silent);
      this.#report(block);
      // Only native code ends and may be followed by something else.
      if (found.noStack !== inNative) return;
      await sleep(firstDelay * 2 ** attempt);
      if (!isOn()) return;
    }
  }

  /** The stack as text, or why there is none. */
  async #stack(isOn: () => boolean): Promise<Partial<LoopBlock>> {
    const now = performance.now();
    this.#stacks = this.#stacks.filter((taken) => now - taken < minute);
    if (this.#stacks.length >= maxStacks) return this.#without(tooMany);
    if (!this.#data.inMainThread) return this.#without(inWorker);
    const found = await inspect(this.#circumstances(isOn));
    if (typeof found === 'string') return this.#without(found);
    this.#stacks.push(now);
    const stack = describeFrames(found.frames, found.scripts);
    return { ...stack, ...requestOf(found.state), noStack: undefined, requests: undefined };
  }

  /** Without a stack, the requests in progress say most. */
  #without(noStack: string): Partial<LoopBlock> {
    return { noStack, requests: requestsIn(this.#data.requests, (request) => clean(request, 200)) };
  }

  #callStuck(block: Block): void {
    if (block.isStuck) return;
    block.isStuck = true;
    block.add({}, this.#pulse.silent);
    // Its stack may still be captured: the report follows, and says both.
    if (block.reported) this.#events.stuck(block.seen);
  }

  #circumstances(isBlocked: () => boolean): Circumstances {
    return {
      isBlocked,
      isAlone: () => this.#cell('inspector') === 0,
      isEnding: () => this.#cell('ending') === 1,
    };
  }

  #end(silent: number): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return;
    this.#report(block);
    block.add({}, silent);
    this.#events.freed(block.seen);
  }

  #report(block: Block): void {
    if (block.reported) return;
    block.reported = true;
    this.#events.blocked(block.seen);
    if (block.isStuck) this.#events.stuck(block.seen);
  }
}

const unknown = { culprit: undefined, stack: undefined, rid: undefined, method: undefined, path: undefined };

/** A block from its start to its end. */
class Block {
  reported = false;
  isStuck = false;
  seen: LoopBlock;

  constructor(silent: number) {
    const blockedFor = Math.round(silent);
    const since = Date.now() - blockedFor;
    this.seen = { ...unknown, since, blockedFor, noStack: tooShort };
  }

  add(found: Partial<LoopBlock>, silent: number): void {
    this.seen = { ...this.seen, ...found, blockedFor: Math.round(silent) };
  }
}

/** The request in progress, from the main thread. */
function requestOf({ rid, method, path }: MainThreadState): Partial<LoopBlock> {
  return { rid: shown(rid), method: shown(method), path: shown(path) };
}

const shown = (text: string | undefined) => text && clean(text, 500);
