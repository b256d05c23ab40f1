import { optionInvalid } from './errors.js';
import { isRecord } from '../objects.js';

/** Checks by the name of the group they belong to: each group is served at `/__heartbeat__/` + its name. */
export type GroupsByName = Readonly<Record<string, readonly string[]>>;

/** Characters that browsers, probes and proxies send unchanged. */
const groupName = /^[\w-]{1,64}$/;

const fix = "Write groups: { payments: ['check_database_connected'] }.";

/** Whether a value is the option `groups`; throws if a group is wrong. */
export function areGroups(value: unknown): value is GroupsByName {
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
