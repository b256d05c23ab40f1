import { logLines } from '../../core/log.js';
import { host, timersEndWithRequest } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import type { OutputName } from './descriptor.js';
import { maxWaiting } from './kept.js';

const nodeConsole: unknown = host.getBuiltinModule?.('node:console');
/** Its replacement may lead back to a logger of ours, also one of the other form of the package. */
const state = /* @__PURE__ */ shared('replaced stdout', () => ({ writing: false }));

/** An output that a test runner, a process manager or the main thread of a worker has replaced to capture it. */
export class ReplacedOutput {
  readonly #name: OutputName;
  /**
   * Node's streams inherit `write`. Bun gives each a function of its own, and so may a test runner with a console of its own: that
   * function then counts as not replaced.
   */
  readonly #firstWrite: unknown;
  // The last known stream. Asking the process for it takes longer than all the rest.
  #known: NodeJS.WriteStream | undefined;
  #ownWrite: unknown;
  #dropped = 0;

  constructor(name: OutputName) {
    this.#name = name;
    const isPatched = host.versions?.['bun'] !== undefined || globalThis.console !== nodeConsole;
    if (!timersEndWithRequest && isPatched) this.#firstWrite = Reflect.get(host[name] ?? {}, 'write');
  }

  /** Writes a line if the output was replaced; whether it was. `first`: it is the first line of a turn. */
  write(line: string, report: (dropped: number) => string, first: boolean): boolean {
    if (first && host[this.#name] !== this.#known) this.#remember(host[this.#name]);
    const stream = this.#known;
    // Never the console: the one of Jest prints a stack with every line.
    if (stream === undefined || stream.write === this.#ownWrite || state.writing) return false;
    state.writing = true;
    try {
      this.#writeTo(stream, line, report);
    } catch {
      // Theirs.
    } finally {
      state.writing = false;
    }
    return true;
  }

  #remember(stream: NodeJS.WriteStream | undefined): void {
    this.#known = stream;
    // A worker thread has a stream without descriptor, which its main thread reads.
    const isOwn = stream !== undefined && 'fd' in stream && (stream.fd === 1 || stream.fd === 2);
    this.#ownWrite =
      this.#firstWrite ??
      (isOwn ? Reflect.get(Reflect.getPrototypeOf(stream) ?? stream, 'write') : undefined);
  }

  #writeTo(stream: NodeJS.WriteStream, line: string, report: (dropped: number) => string): void {
    // As the console does: a closed reader ends neither the process nor the application's own writes.
    const ignored = (error: unknown) => {
      if (error instanceof Error && stream.listenerCount('error') === 0) stream.once('error', () => {});
    };
    if (stream.writableLength > maxWaiting) {
      this.#dropped += 1;
      logLines.dropped += 1;
      return;
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) stream.write(report(dropped), ignored);
    stream.write(line, ignored);
  }
}
