// Facts that only the main thread has, and that explain a block: inspectors and the current request.
import type * as Inspector from 'node:inspector';
import { pathname } from '../core/endpoints.js';
import { isObject, read } from '../core/objects.js';
import { replace } from '../core/replace.js';
import { currentRequest } from '../core/request/request.js';
import { attempt, environment, host } from '../core/runtime.js';

/** Watches for a debugger or profiler at the main thread: the port of `--inspect`, and sessions of its own. Calls `changed` at once. */
export function watchInspectors(changed: () => void): { any(): boolean; release(): void } {
  const inspector = attempt(() => host.getBuiltinModule?.('node:inspector'));
  if (inspector === undefined) return { any: () => false, release() {} };
  const { NODE_OPTIONS = '' } = environment();
  const flags = [...process.execArgv, ...NODE_OPTIONS.split(' ')];
  const profiled = flags.some((flag) => /^--(?:cpu|heap)-prof$/.test(flag));
  const sessions = new Set<unknown>();
  // Node does not list sessions.
  const wrap = (name: 'connect' | 'disconnect', note: (session: unknown) => void): (() => void) => {
    const prototype: Pick<Inspector.Session, typeof name> | undefined = inspector.Session?.prototype;
    const own = prototype?.[name];
    if (prototype === undefined || typeof own !== 'function') return () => {};
    return replace(prototype, name, function wrapped(this: Inspector.Session, ...args: []) {
      own.apply(this, args);
      note(this);
      changed();
    });
  };
  const restores = [
    wrap('connect', (session) => sessions.add(session)),
    wrap('disconnect', (session) => sessions.delete(session)),
  ];
  return {
    any: () => profiled || sessions.size > 0 || attempt(() => inspector.url()) !== undefined,
    release() {
      for (const restore of restores) restore();
    },
  };
}

/** The request that the current code runs for. Only plain values: it goes to another thread. */
export function requestUnderWay(): { rid?: string; method?: string; path?: string } {
  const context = currentRequest();
  if (context === undefined) return {};
  const { request, id: rid } = context;
  const method = textOf(request, 'method');
  const target = textOf(request, 'originalUrl') ?? textOf(request, 'url') ?? textOf(request, 'path');
  // Without the query, which may carry anything, and without the host that a Request has in its address.
  return { rid, ...(method && { method }), ...(target !== undefined && { path: pathname(target) || '/' }) };
}

/** A text of the request, or of the one that the framework has it in. */
function textOf(request: unknown, name: string): string | undefined {
  const inner = within(request, 'request');
  const owners = [request, within(request, 'req'), within(request, 'raw'), inner, within(inner, 'request')];
  return owners.map((owner) => within(owner, name)).find((value) => typeof value === 'string');
}

const within = (owner: unknown, key: string) => (isObject(owner) ? read(owner, key) : undefined);
