import type { Closable } from '../closable.js';
import type { LogRecord } from '../log.js';
import { shared } from '../shared.js';

/** The part of its Health that a check may use. */
export interface CheckHost {
  readonly closed: () => boolean;
  /** Calls a function once when the Health is closed. */
  readonly onClose: (close: () => void) => unknown;
  readonly log: (record: LogRecord) => void;
}

type Attach = (host: CheckHost) => void;

/** By the function that is registered, as its scope is. */
const attachments: WeakMap<object, Attach> = /* @__PURE__ */ shared('attachments', () => new WeakMap());

/** Has a function called with each Health that the check is registered with, and again when that is opened again. */
export function withHost<C extends object>(check: C, attach: Attach): C {
  const before = attachments.get(check);
  attachments.set(check, (host) => {
    before?.(host);
    attach(host);
  });
  return check;
}

/** Calls the function of a check that was registered, if it has one. */
export function attach(check: unknown, to: Closable, log: CheckHost['log']): void {
  const attachment = typeof check === 'function' ? attachments.get(check) : undefined;
  if (attachment === undefined) return;
  const host: CheckHost = { closed: () => to.closed, onClose: (close) => to.onClose(close), log };
  to.whileOpen(() => attachment(host));
}
