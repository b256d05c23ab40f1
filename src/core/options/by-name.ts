// Options that are objects of objects or lists.
import type { CheckOptionsByName } from '../heartbeat/check.js';
import { areCheckOptions } from '../heartbeat/check-rules.js';
import { areGroups, type GroupsByName } from './groups.js';
import type { Rule } from './rules.js';

export const checkOptionsByName: Rule<CheckOptionsByName> = {
  expects: 'an object that maps check names to options',
  accepts: (value): value is CheckOptionsByName => areCheckOptions(value),
};

export const groupsByName: Rule<GroupsByName> = {
  expects: 'an object that maps group names to lists of check names',
  accepts: (value): value is GroupsByName => areGroups(value),
};
