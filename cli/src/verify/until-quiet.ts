type Chunk = string | Uint8Array;

/** When to stop reading a stream that does not end, in milliseconds. */
export interface Patience {
  /** The longest silence. */
  readonly quiet: number;
  /** The wait after everything expected has arrived, for lines that should not come. */
  readonly afterAll: number;
  /** However much comes. */
  readonly total: number;
}

const usual: Patience = { quiet: 5000, afterAll: 1000, total: 60_000 };

/** Reads a stream until it ends or is quiet: the log of a running service has no end. */
export async function* untilQuiet(
  source: AsyncIterable<Chunk>,
  hasAll: () => boolean,
  { quiet, afterAll, total }: Patience = usual,
): AsyncGenerator<Chunk> {
  const iterator = source[Symbol.asyncIterator]();
  const end = performance.now() + total;
  let foundAll: number | undefined;
  for (;;) {
    const now = performance.now();
    if (hasAll()) foundAll ??= now;
    const left = Math.min(quiet, end - now, foundAll === undefined ? quiet : foundAll + afterAll - now);
    const next = left > 0 ? await within(iterator.next(), left) : undefined;
    if (next === undefined) letGo(source);
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/** The outcome of a promise, or undefined when the time is up. */
async function within<T>(promise: Promise<T>, time: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), time);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
    // Of a stream that was cancelled.
    promise.catch(() => {});
  }
}

/** An open standard input would keep the process. */
function letGo(source: object): void {
  if ('destroy' in source && typeof source.destroy === 'function') source.destroy();
}
