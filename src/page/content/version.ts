import { scrub } from '../../core/scrub/scrub.js';
import type { Version } from '../../core/version/version.js';
import { isObject } from '../../core/objects.js';

/** Limits of a version that is shown: levels, values in all, values of one object, characters. */
const deepest = 5;
const maxValues = 500;
const maxWidth = 100;
const maxTextLength = 2000;
const maxNameLength = 200;

/** The last one, with its JSON as the key: it rarely changes, and each rendering needs it. */
let last: { readonly json: string; readonly version: Version } | undefined;

/**
 * A version as the page shows it: bounded, without secrets, and addresses without user, query and fragment, which may
 * have tokens. `/__version__` serves it as it is.
 */
export function shownVersion(json: string): Version {
  if (last?.json !== json) last = { json, version: new Reading().version(JSON.parse(json)) };
  return last.version;
}

class Reading {
  #left = maxValues;

  version(value: unknown): Version {
    const version = this.#object(isObject(value) ? value : {}, deepest);
    for (const name of ['source', 'build']) {
      const text = version[name];
      // Also if it is not an address: the short form that git has for one.
      if (typeof text === 'string') version[name] = text.replace(/[?#].*/s, '');
    }
    return version;
  }

  #value(value: unknown, depth: number): unknown {
    this.#left -= 1;
    if (typeof value === 'string') return shownText(value);
    if (!isObject(value)) return value;
    if (depth === 0) return '…';
    if (!Array.isArray(value)) return this.#object(value, depth);
    const items: unknown[] = value.slice(0, Math.max(0, Math.min(maxWidth, this.#left)));
    return items.map((item) => this.#value(item, depth - 1));
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const name in value) {
      if (entries.length === maxWidth || this.#left <= 0) break;
      if (!Object.hasOwn(value, name)) continue;
      entries.push([scrub(clipped(name, maxNameLength)), this.#value(Reflect.get(value, name), depth - 1)]);
    }
    return Object.fromEntries(entries);
  }
}

/**
 * An address as browsers take it: its scheme, a user, and all up to a query or a fragment. To them `https:user@host`
 * and `https:\\user@host` are addresses too.
 */
const address = /^[\0- ]*(https?:[\\/]*|[a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?([^?#]*)/i;

function shownText(text: string): string {
  const kept = clipped(text, maxTextLength);
  // Line breaks and tabs do not matter in them either.
  const [, scheme, rest] = address.exec(kept.replace(/[\t\n\r]/g, '')) ?? [];
  return scrub(scheme === undefined ? kept : `${scheme}${rest}`);
}

const clipped = (text: string, maxLength: number) =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
