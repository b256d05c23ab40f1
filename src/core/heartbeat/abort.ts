const dues = new WeakMap<AbortSignal, number>();

/** When a check's signal fires, on the clock of `performance.now()`; Infinity for a signal that is none of a check. */
export function deadlineOf(signal: AbortSignal): number {
  return dues.get(signal) ?? Infinity;
}

/** A controller for a signal of which checks know when it fires. */
export function abortController(due: number): AbortController {
  const controller = new AbortController();
  dues.set(controller.signal, due);
  return controller;
}
