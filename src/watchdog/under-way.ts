import { currentRequest } from '../core/request/request.js';
import { attempt } from '../core/runtime.js';
import { isObject } from '../core/objects.js';

/** The request that the current code runs for. Only plain values: it goes to another thread. */
export function requestUnderWay(): { rid?: string; method?: string; path?: string } {
  const context = currentRequest();
  if (context === undefined) return {};
  const request = context.request;
  const method = first(request, 'method');
  const target = first(request, 'originalUrl') ?? first(request, 'url') ?? first(request, 'path');
  return {
    rid: context.id,
    ...(method !== undefined && { method }),
    ...(target !== undefined && { path: pathOf(target) }),
  };
}

/** A text of the request, or of the one that the framework has it in. */
function first(request: unknown, name: string): string | undefined {
  const inner = read(request, 'request');
  const owners = [request, read(request, 'req'), read(request, 'raw'), inner, read(inner, 'request')];
  for (const owner of owners) {
    const value = read(owner, name);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function read(owner: unknown, name: string): unknown {
  return isObject(owner) ? attempt(() => Reflect.get(owner, name)) : undefined;
}

/** Without the query, which may carry anything, and without the host that a Request has in its address. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '') || '/';
}
