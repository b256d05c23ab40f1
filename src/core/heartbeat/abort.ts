import { catchRejection } from '../guard.js';

type Listener = EventListenerOrEventListenerObject | null;

/** The wrapped listeners, and the value of `onabort`. */
const wrapped = new WeakMap<object, EventListener>();
const handlers = new WeakMap<AbortSignal, Listener>();

/** The methods of a signal whose listeners may throw: the run was given up, and Node would end the process for it. */
class QuietSignal extends AbortSignal {
  override addEventListener(
    type: string,
    listener: Listener,
    options?: boolean | AddEventListenerOptions,
  ): void {
    // Without a listener nothing is added, as in the platform's own signals.
    if (listener) super.addEventListener(type, quietly(listener), options);
  }

  override removeEventListener(
    type: string,
    listener: Listener,
    options?: boolean | EventListenerOptions,
  ): void {
    if (listener) super.removeEventListener(type, quietly(listener), options);
  }

  override get onabort(): ((event: Event) => unknown) | null {
    const handler = handlers.get(this);
    return typeof handler === 'function' ? handler : null;
  }

  override set onabort(handler: ((event: Event) => unknown) | null) {
    this.removeEventListener('abort', handlers.get(this) ?? null);
    const set = typeof handler === 'function' ? handler : null;
    handlers.set(this, set);
    this.addEventListener('abort', set);
  }
}

const dues = new WeakMap<AbortSignal, number>();

/** When a check's signal fires, on the clock of `performance.now()`; Infinity for a signal that is none of a check. */
export function deadlineOf(signal: AbortSignal): number {
  return dues.get(signal) ?? Infinity;
}

/** A controller for a check's signal: errors and rejections of its listeners are dropped. */
export function quietController(due: number): AbortController {
  const controller = new AbortController();
  dues.set(controller.signal, due);
  Object.setPrototypeOf(controller.signal, QuietSignal.prototype);
  return controller;
}

function quietly(listener: EventListenerOrEventListenerObject): EventListener {
  const known = wrapped.get(listener);
  if (known !== undefined) return known;
  const quiet = (event: Event) => {
    try {
      const returned: unknown =
        typeof listener === 'function' ? listener.call(event.target, event) : listener.handleEvent(event);
      catchRejection(returned, () => {});
    } catch {
      // Its result is not used.
    }
  };
  wrapped.set(listener, quiet);
  return quiet;
}
