import type * as Inspector from 'node:inspector';
import { attempt, environment, host } from '../core/runtime.js';

type Connect = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Whether a debugger or a profiler is attached to the main thread. */
export interface Inspectors {
  any(): boolean;
  /** Stops watching for them. */
  release(): void;
}

/** Watches for inspectors of the main thread: the port of `--inspect`, and sessions of its own. Calls `changed` at once. */
export function watchInspectors(changed: () => void): Inspectors {
  const inspector = attempt(() => host.getBuiltinModule?.('node:inspector'));
  if (inspector === undefined) return { any: () => false, release() {} };
  const { NODE_OPTIONS = '' } = environment();
  const flags = [...process.execArgv, ...NODE_OPTIONS.split(' ')];
  const profiled = flags.some((flag) => /^--(?:cpu|heap)-prof$/.test(flag));
  const sessions = new Set<unknown>();
  const restore = wrapSessions(inspector, sessions, changed);
  return {
    any: () => profiled || sessions.size > 0 || attempt(() => inspector.url()) !== undefined,
    release: restore,
  };
}

/** Node does not list sessions: `connect` and `disconnect` are watched while the watchdog runs. */
function wrapSessions(
  { Session }: typeof Inspector,
  sessions: Set<unknown>,
  changed: () => void,
): () => void {
  const prototype: object = Session.prototype;
  const wrap = (name: 'connect' | 'disconnect', note: (session: unknown) => void): (() => void) => {
    const own: unknown = Reflect.get(prototype, name);
    if (typeof own !== 'function') return () => {};
    const wrapped: Connect = function (...args) {
      const returned: unknown = Reflect.apply(own, this, args);
      note(this);
      changed();
      return returned;
    };
    Reflect.set(prototype, name, wrapped);
    return () => {
      // Other code may have wrapped ours in turn.
      if (Reflect.get(prototype, name) === wrapped) Reflect.set(prototype, name, own);
    };
  };
  const restores = [
    wrap('connect', (session) => sessions.add(session)),
    wrap('disconnect', (session) => sessions.delete(session)),
  ];
  return () => {
    for (const restore of restores) restore();
  };
}
