import type { Debugger, Session } from 'node:inspector';
import type { LoopBlock } from '../../core/loop.js';
import { attempt } from '../../core/runtime.js';

export interface Script {
  readonly url: string;
  readonly sourceMapUrl: string | undefined;
}

interface Inspection {
  readonly frames: readonly Debugger.CallFrame[];
  readonly scripts: ReadonlyMap<string, Script>;
  readonly state: MainThreadState;
}

/** The result of the main thread's `state()`. */
export type MainThreadState = Partial<Pick<LoopBlock, 'rid' | 'method' | 'path'>>;

/** Milliseconds in which a thread that runs JavaScript answers, also in a container with a tenth of a processor. */
const promptTimeout = 400;
/** Milliseconds that each further step may take: a large application has many scripts. */
const stepTimeout = 3000;
/** Milliseconds for which it has to run JavaScript before and after the stack is taken: only then is the stack the cause. */
const lasting = 25;

export const inNative = 'in native code or garbage collection, no stack';
const tooSlow = 'its stack could not be captured in time';
export const tooShort = 'it ended before its stack was captured';
const otherInspector = 'an inspector, debugger or profiler is attached, no stack';
export const inWorker = 'the code runs in a worker thread, no stack';
const noInspector = 'this runtime has no inspector for its main thread, no stack';

/** Calls a function of the main thread, while that thread is paused in other code. */
const expression = "globalThis[Symbol.for('lifesign.shared.1')]?.get('watchdog')?.state?.()";

/** Conditions that may change during an inspection. */
interface Circumstances {
  readonly isBlocked: () => boolean;
  /** Whether no other debugger is attached. */
  readonly isAlone: () => boolean;
  /** Whether the process is about to end: it would wait for an attached inspector. */
  readonly isEnding: () => boolean;
}

/** The stack of the main thread, or why there is none. Attaches for a bounded time and always detaches. */
export async function inspect(circumstances: Circumstances): Promise<Inspection | string> {
  const { isEnding, isAlone } = circumstances;
  if (isEnding()) return tooShort;
  if (!isAlone()) return otherInspector;
  // Bun's inspector attaches but cannot pause.
  const attached = 'bun' in process.versions ? undefined : attempt(() => new Attached());
  if (attached === undefined) return noInspector;
  const guard = setInterval(() => isEnding() && attached.detach(), 10);
  try {
    return await attached.take(circumstances);
  } finally {
    clearInterval(guard);
    attached.detach();
  }
}

class Attached {
  readonly #session: Session;
  readonly #scripts = new Map<string, Script>();
  /** Set while we wait for the main thread to pause. */
  #onPaused: ((frames: readonly Debugger.CallFrame[] | undefined) => void) | undefined;

  constructor() {
    const { Session: InspectorSession } = process.getBuiltinModule('node:inspector');
    const session = new InspectorSession();
    session.connectToMainThread();
    session.on('Debugger.scriptParsed', ({ params }) => {
      this.#scripts.set(params.scriptId, { url: params.url, sourceMapUrl: params.sourceMapURL });
    });
    session.on('Debugger.paused', ({ params }) => this.#onPause(params.callFrames));
    this.#session = session;
  }

  async take({ isBlocked, isAlone }: Circumstances): Promise<Inspection | string> {
    // Native code does not answer, and code that runs after it is not the cause.
    if ((await this.#post('Schema.getDomains', undefined, promptTimeout)) === undefined) return inNative;
    await sleep(lasting);
    const evaluated = await this.#post('Runtime.evaluate', evaluate, promptTimeout);
    if (evaluated === undefined) return inNative;
    const { result = {} }: { result?: { value?: MainThreadState } } = evaluated;
    const { value: state = {} } = result;
    // The call has noted whether another one came meanwhile.
    if (!isAlone()) return otherInspector;
    if (!isBlocked()) return tooShort;
    if ((await this.#post('Debugger.enable', undefined, stepTimeout)) === undefined) return tooSlow;
    if (!isBlocked()) return tooShort;
    const frames = await this.#pause();
    if (frames === undefined) return inNative;
    if (!isBlocked()) return tooShort;
    await sleep(lasting);
    return isBlocked() ? { frames, scripts: this.#scripts, state } : tooShort;
  }

  /** Pauses the main thread, and resumes it at once. */
  #pause(): Promise<readonly Debugger.CallFrame[] | undefined> {
    return new Promise((resolve) => {
      const paused = afterRunning(stepTimeout, () => resolve(undefined));
      this.#onPaused = (frames) => {
        paused();
        resolve(frames);
      };
      this.#session.post('Debugger.pause');
    });
  }

  #onPause(frames: readonly Debugger.CallFrame[]): void {
    // A breakpoint of another debugger is left to it.
    if (this.#onPaused === undefined) return;
    this.#session.post('Debugger.resume');
    this.#onPaused(frames);
    this.#onPaused = undefined;
  }

  detach(): void {
    attempt(() => this.#session.post('Debugger.disable'));
    attempt(() => this.#session.disconnect());
  }

  /** The answer to a message; undefined if the main thread had a processor for so long and did not give one. */
  #post(method: string, params: object | undefined, within: number): Promise<object | undefined> {
    return new Promise((resolve) => {
      const answered = afterRunning(within, () => resolve(undefined));
      this.#session.post(method, params, (error: Error | null, result?: object) => {
        answered();
        // A refusal is an answer too.
        resolve(error === null ? result : {});
      });
    });
  }
}

/** Milliseconds for which the main thread was ready to run and had no processor, as Linux counts them. */
const queuedFor = (): number =>
  attempt(() => {
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const [, nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  }) ?? 0;

/** Calls `expired` once the main thread has had that many milliseconds, without those in which it waited for a processor. Returns a function that cancels it. */
function afterRunning(milliseconds: number, expired: () => void): () => void {
  let queued = queuedFor();
  const judge = () => {
    const before = queued;
    queued = queuedFor();
    if (queued - before >= 1) timer = setTimeout(judge, queued - before);
    else expired();
  };
  let timer = setTimeout(judge, milliseconds);
  return () => clearTimeout(timer);
}

const evaluate = { expression, returnByValue: true, silent: true, disableBreaks: true };

export const sleep = (ms: number): Promise<void> =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
