import type { LoopBlock } from '../../core/loop.js';
import { clean } from '../../core/scrub/scrub.js';
import { cells, clock, beatInterval, type ThreadData } from '../cells.js';
import { requestsIn } from '../../probes/requests.js';
import { describeFrames } from './frames.js';
import { inNative, inspect, inWorker, type MainThreadState, sleep, tooShort } from './inspect.js';
import { Pulse } from './pulse.js';
import type { LoopState } from './server.js';

const maxStacksPerMinute = 6;
const minute = 60_000;
/** Milliseconds until native code is inspected again: JavaScript may follow it within the same block. */
const firstDelay = 1000;
const maxAttempts = 5;

const tooMany = `no stack: ${maxStacksPerMinute} were captured within a minute`;

/** `blocked`: it was noticed, with its stack or why there is none. `stuck`: the process should be restarted. `freed`: it has ended. */
export type BlockEvent = 'blocked' | 'stuck' | 'freed';

/** Follows the beats of the main thread: notices a block, takes its stack, and reports its start and end. */
export class Watcher {
  readonly #data: ThreadData;
  readonly #emit: (event: BlockEvent, block: LoopBlock) => void;
  readonly #pulse: Pulse;
  #stackTimes: number[] = [];
  /** The block under way; it is one object from its start to its end. */
  #block: Block | undefined;

  constructor(data: ThreadData, emit: (event: BlockEvent, block: LoopBlock) => void) {
    this.#data = data;
    this.#emit = emit;
    this.#pulse = new Pulse(beatInterval(data.busyAfter), this.#cell('beat'), clock());
  }

  /** Polls, again and again. */
  start(): void {
    setTimeout(() => {
      this.#poll();
      this.start();
    }, this.#pulse.rest(this.#data.busyAfter));
  }

  /** Polls once more, because the port answers with the current state. */
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
      const facts = await this.#stack(isOn);
      if (!isOn()) return;
      block.add(facts, this.#pulse.silent);
      this.#report(block);
      // Only native code may be followed by JavaScript.
      if (facts.noStack !== inNative) return;
      await sleep(firstDelay * 2 ** attempt);
      if (!isOn()) return;
    }
  }

  /** The stack as text, or why there is none. */
  async #stack(isOn: () => boolean): Promise<Partial<LoopBlock>> {
    const now = performance.now();
    this.#stackTimes = this.#stackTimes.filter((time) => now - time < minute);
    if (this.#stackTimes.length >= maxStacksPerMinute) return this.#without(tooMany);
    if (!this.#data.inMainThread) return this.#without(inWorker);
    const inspection = await inspect({
      isBlocked: isOn,
      isAlone: () => this.#cell('inspector') === 0,
      isEnding: () => this.#cell('ending') === 1,
    });
    if (typeof inspection === 'string') return this.#without(inspection);
    this.#stackTimes.push(now);
    const stack = describeFrames(inspection.frames, inspection.scripts);
    return { ...stack, ...describeRequest(inspection.state), noStack: undefined, requests: undefined };
  }

  /** Without a stack, the requests in progress are the best hint. */
  #without(noStack: string): Partial<LoopBlock> {
    return { noStack, requests: requestsIn(this.#data.requests, (request) => clean(request, 200)) };
  }

  #callStuck(block: Block): void {
    if (block.isStuck) return;
    block.isStuck = true;
    block.add({}, this.#pulse.silent);
    // Its stack may still be captured: then `#report` sends both events.
    if (block.reported) this.#emit('stuck', block.seen);
  }

  #end(silent: number): void {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return;
    this.#report(block);
    block.add({}, silent);
    this.#emit('freed', block.seen);
  }

  #report(block: Block): void {
    if (block.reported) return;
    block.reported = true;
    this.#emit('blocked', block.seen);
    if (block.isStuck) this.#emit('stuck', block.seen);
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

  add(facts: Partial<LoopBlock>, silent: number): void {
    this.seen = { ...this.seen, ...facts, blockedFor: Math.round(silent) };
  }
}

function describeRequest({ rid, method, path }: MainThreadState): Partial<LoopBlock> {
  return { rid: shown(rid), method: shown(method), path: shown(path) };
}

const shown = (text: string | undefined) => text && clean(text, 500);
