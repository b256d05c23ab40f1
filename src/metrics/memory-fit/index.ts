import { oldGeneration } from '../../core/heap.js';
import type { LogRecord } from '../../core/log.js';
import { attempt, host } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import { containerMemory } from '../runtime/cgroup.js';
import { type Limits, misfitOf } from './fit.js';

/** Milliseconds between two readings: a container is seldom resized. */
const readEvery = 10_000;

/** The container limit in the last logged line, shared by all Healths because they share the heap. */
const said: { container?: number | undefined } = /* @__PURE__ */ shared('memoryFit', () => ({}));

/** Compares V8's heap limit with that of the container, at start and after the container was resized. It sets no timer: others ask it to look. */
export class MemoryFit {
  readonly #log: (record: LogRecord) => void;
  readonly #read: () => Limits | undefined;
  #at = -Infinity;

  constructor(log: (record: LogRecord) => void, read: () => Limits | undefined = readLimits) {
    this.#log = log;
    this.#read = read;
  }

  look(): void {
    const now = performance.now();
    if (now - this.#at < readEvery) return;
    this.#at = now;
    const limits = this.#read();
    if (said.container === limits?.container) return;
    said.container = limits?.container;
    const misfit = limits && misfitOf(limits);
    if (misfit === undefined) return;
    const { kind, msg } = misfit;
    this.#log({ logger: 'health', level: kind === 'above' ? 30 : 20, time: Date.now(), fields: {}, msg });
  }
}

/** Undefined without a limit, and in a thread, whose heap has its own. */
function readLimits(): Limits | undefined {
  if (attempt(() => host.getBuiltinModule?.('node:worker_threads').isMainThread) !== true) return undefined;
  const container = containerMemory()?.limit;
  const heap = oldGeneration()?.limit;
  return container === undefined || heap === undefined ? undefined : { heap, container };
}
