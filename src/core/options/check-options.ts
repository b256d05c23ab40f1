import type { CheckOptions, CheckOptionsByName, ReadCheckOptions, Scope } from '../heartbeat/check.js';
import { isRecord } from '../objects.js';
import { optionInvalid, optionUnknown } from './errors.js';
import { requireValue } from './read-options.js';
import { duration, interval, levelName, type Rule, runs, timeout } from './rules.js';

const scopes: ReadonlySet<unknown> = new Set<Scope>(['instance', 'shared', 'auto']);

const scope: Rule<Scope> = {
  expects: "'instance', 'shared' or 'auto'",
  accepts: (value): value is Scope => scopes.has(value),
};

const rules: Readonly<Record<keyof ReadCheckOptions, Rule<unknown>>> = {
  timeout,
  cacheFor: duration,
  every: interval,
  maxLevel: levelName,
  scope,
  failureThreshold: runs,
  successThreshold: runs,
  restartAfter: duration,
};

/** The options of one check that were given; throws if one is wrong or unknown. */
export function requireCheckOptions(check: string, given: CheckOptions): ReadCheckOptions {
  const read: Record<string, unknown> = {};
  const known: Readonly<Record<string, Rule<unknown>>> = rules;
  for (const [name, value] of Object.entries(given)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) throw optionUnknown(name, Object.keys(known), `of check ${check}`);
    if (value !== undefined) read[name] = requireValue(value, rule, `${name} of check ${check}`);
  }
  return read;
}

/** Whether a value is an object of such objects; throws if one of their options is wrong. */
function areCheckOptions(value: unknown): value is CheckOptionsByName {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(([check, options]) => {
    if (!isRecord(options)) return false;
    requireCheckOptions(check, options);
    return true;
  });
}

/** Checks by the name of the group they belong to: each group is served at `/__heartbeat__/` + its name. */
export type GroupsByName = Readonly<Record<string, readonly string[]>>;

/** Characters that browsers, probes and proxies send unchanged. */
const groupName = /^[\w-]{1,64}$/;

const fix = "Write groups: { payments: ['check_database_connected'] }.";

/** Whether a value is the option `groups`; throws if a group is wrong. */
function areGroups(value: unknown): value is GroupsByName {
  if (!isRecord(value)) return false;
  for (const [group, checks] of Object.entries(value)) {
    if (!groupName.test(group)) {
      throw optionInvalid('A group name', group, '1 to 64 letters, digits, "-" and "_"', fix);
    }
    if (!isNames(checks)) {
      throw optionInvalid(`Group ${group}`, checks, 'a non-empty list of check names', fix);
    }
  }
  return true;
}

function isNames(checks: unknown): checks is readonly string[] {
  return (
    Array.isArray(checks) &&
    checks.length > 0 &&
    checks.every((name) => typeof name === 'string' && name !== '')
  );
}

export const checkOptionsByName: Rule<CheckOptionsByName> = {
  expects: 'an object that maps check names to options',
  accepts: (value): value is CheckOptionsByName => areCheckOptions(value),
};

export const groupsByName: Rule<GroupsByName> = {
  expects: 'an object that maps group names to lists of check names',
  accepts: (value): value is GroupsByName => areGroups(value),
};
