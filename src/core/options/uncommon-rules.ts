import { isEndpoint } from '../endpoints.js';
import type { Scope } from '../heartbeat/check.js';
import { integer, isPlainPath, type Rule } from './rules.js';

/** How many runs in a row. */
export const runs = () => integer(1, 1000);

const scopes: ReadonlySet<unknown> = new Set<Scope>(['instance', 'shared', 'auto']);

export const scope: Rule<Scope> = {
  expects: "'instance', 'shared' or 'auto'",
  accepts: (value): value is Scope => scopes.has(value),
  fromText: (value) => value,
};

/** A path that hides none of the three endpoints. */
export const pagePath: Rule<string> = {
  expects: 'a path such as "/__health__", other than the three endpoints',
  accepts: (value): value is string => isPlainPath(value) && !isEndpoint(value),
  fromText: (value) => value,
};
