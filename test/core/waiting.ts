/** Lets timers and sockets have their turn. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets everything have its turn that is due already, rejections that nobody handles among it; no time passes. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until something is true; fails after a time that no load can use up. */
export async function until(what: () => boolean | Promise<boolean>, within = 30_000): Promise<void> {
  for (const end = performance.now() + within; !(await what()); await pause(5)) {
    if (performance.now() > end) throw new Error(`never came true: ${String(what)}`);
  }
}

/** Blocks the event loop. */
export function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** A promise and what settles it. */
export function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  const settle: { resolve?: () => void; reject?: (error: Error) => void } = {};
  const promise = new Promise<void>((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return { promise, resolve: () => settle.resolve?.(), reject: (error) => settle.reject?.(error) };
}
