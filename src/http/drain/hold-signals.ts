/** Gets signals before every listener of the process. */
export interface SignalHolder {
  readonly signals: readonly NodeJS.Signals[];
  /** The listeners run once this is fulfilled; at once if it is undefined. */
  drain(signal: NodeJS.Signals): Promise<void> | undefined;
  /** Another signal came while the first one is held. */
  again(signal: NodeJS.Signals): void;
}

const holders = new Set<SignalHolder>();
let isHolding = false;
let giveBack: (() => void) | undefined;

/** Passes signals to `holder` first, until the returned function is called. */
export function holdSignals(holder: SignalHolder): () => void {
  giveBack ??= intercept();
  holders.add(holder);
  for (const signal of holder.signals) rebind(signal);
  return () => {
    holders.delete(holder);
    if (holders.size > 0) return;
    giveBack?.();
    giveBack = undefined;
  };
}

/** Keeps the process alive at a signal that the application does not handle. */
export const stay = (): void => {};

/** Whether the application listens to a signal. */
export function othersOn(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).some((listener) => listener !== stay);
}

/** Node calls `process.emit` for a signal: that is the one place before every listener, also those that are prepended later. */
function intercept(): () => void {
  const own = Object.hasOwn(process, 'emit');
  const original: unknown = Reflect.get(process, 'emit');
  if (typeof original !== 'function') return () => {};
  const emit = (args: readonly unknown[]): boolean => Reflect.apply(original, process, args);
  const held = (...args: readonly unknown[]): boolean => {
    const [event, , number] = args;
    const wanting = [...holders].filter(({ signals }) => signals.some((signal) => signal === event));
    const signal = wanting[0]?.signals.find((name) => name === event);
    if (signal === undefined) return emit(args);
    // Node passes the number; code that calls process.emit does not, and without a listener that does nothing.
    if (typeof number !== 'number' && !othersOn(signal)) return false;
    return hold(signal, wanting, () => emit(args));
  };
  Reflect.set(process, 'emit', held);
  return () => {
    // Another library may have put its own on top by now: this one then only passes on.
    if (Reflect.get(process, 'emit') !== held) return;
    if (own) Reflect.set(process, 'emit', original);
    else Reflect.deleteProperty(process, 'emit');
  };
}

function hold(signal: NodeJS.Signals, wanting: readonly SignalHolder[], emit: () => boolean): boolean {
  if (isHolding) {
    for (const holder of wanting) holder.again(signal);
    return true;
  }
  const drains = wanting.flatMap((holder) => holder.drain(signal) ?? []);
  if (drains.length === 0) return emit();
  isHolding = true;
  void Promise.all(drains).then(() =>
    // Outside of the promise: an error of a listener stays an uncaught exception.
    setImmediate(() => {
      isHolding = false;
      emit();
    }),
  );
  return true;
}

/** Node has bound the `emit` that was there when the first listener of a signal came. */
function rebind(signal: NodeJS.Signals): void {
  const listeners = process.rawListeners(signal);
  process.removeAllListeners(signal);
  // The listeners themselves, wrappers of once included: the code that added them may remove them.
  for (const listener of listeners) if (isListener(listener)) process.on(signal, listener);
}

function isListener(value: unknown): value is () => void {
  return typeof value === 'function';
}
