import { clientOptions, membersOf } from '../checks/clients.js';
import { registerBuiltIns } from '../checks/built-in.js';
import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { Error as ErrorMessage, maxNameLength } from '../core/heartbeat/messages.js';
import { isRecord } from '../core/objects.js';
import { checkNotFunction, LifesignError, optionInvalid, optionUnknown } from '../core/options/errors.js';
import { readOption } from '../core/options/read-options.js';
import type { Rule } from '../core/options/rules.js';
import { clean, describe } from '../core/scrub/scrub.js';
import { printable } from '../core/scrub/printable.js';
import type { Health, HealthOptions } from '../frameworks/node.js';

/**
 * The default export of the file that `HEALTH_CONFIG` names: the options of a Health, and checks by name.
 *
 * @example export default { failLevel: 'error', checks: { storage: async () => [] } } satisfies HealthConfig;
 */
export interface HealthConfig extends HealthOptions {
  readonly checks?: Readonly<Record<string, Check>>;
}

/** Something that cannot be registered: the name that its check would have, and why. */
export interface Mistake {
  readonly name: string;
  readonly thrown: unknown;
}

/** Clients that are watched already, by their options: a module may be evaluated twice, as bundlers and development servers do. */
const known = new WeakMap<Health, Map<string, WeakSet<object>>>();

const options: readonly string[] = [...clientOptions, 'checks'];

/**
 * Registers the clients and checks of an application, each separately. One that cannot be registered is a failing check: if it
 * were absent, the heartbeat would look healthy.
 */
export function register(health: Health, watched: unknown): void {
  const refuse = (name: string, thrown: unknown) => fail(health, { name, thrown });
  try {
    if (!isRecord(watched)) {
      const fix = `Write an object with any of: ${options.join(', ')}.`;
      throw optionInvalid('The options argument of watch', watched, 'an object', fix);
    }
    const target = {
      options: health.options,
      check: (name: string, check: Check) => add(health, name, check),
    };
    for (const [option, value] of Object.entries(watched)) {
      if (value === undefined) continue;
      if (option === 'checks') registerChecks(health, value, refuse);
      else if (!options.includes(option)) refuse(option, optionUnknown(option, options, 'of watch'));
      else if (isNew(health, option, value)) registerBuiltIns(target, { [option]: value }, { refuse });
    }
  } catch (thrown) {
    // An object may throw when it is read.
    refuse('watch', thrown);
  }
}

function registerChecks(
  health: Health,
  checks: unknown,
  refuse: (name: string, thrown: unknown) => void,
): void {
  if (!isRecord(checks)) {
    const fix = 'Write checks: { storage: async ({ signal }) => [] }.';
    return refuse('checks', optionInvalid('Option checks', checks, 'an object', fix));
  }
  for (const [name, check] of Object.entries(checks)) {
    if (isCheck(check)) add(health, name, check);
    else refuse(name, checkNotFunction(check, `Check ${name}: ${checkNotFunction(check).message}`));
  }
}

/** Reports a mistake on standard error, and as a check that fails. It is the same in all instances: none is restarted for it. */
export function fail(health: Health, { name, thrown }: Mistake): void {
  logMistake(thrown);
  const message = () =>
    new ErrorMessage(`This check could not be registered: ${errorText(thrown)}`, { id: messageIds.refused });
  add(health, name, withScope(message, 'shared'));
}

/** A second check of a name gets a number: it may be another client of another module. */
function add(health: Health, name: string, check: Check): void {
  for (let count = 1; count < 1000; count += 1) {
    const suffix = count === 1 ? '' : `_${count}`;
    try {
      health.check(`${(name || 'unnamed').slice(0, maxNameLength - suffix.length)}${suffix}`, check);
      return;
    } catch (thrown) {
      if (!(thrown instanceof LifesignError) || thrown.code !== 'LIFESIGN_CHECK_DUPLICATE')
        return logMistake(thrown);
    }
  }
}

/** Whether a client is watched for the first time, or one of a list or an object of them. */
function isNew(health: Health, option: string, value: unknown): boolean {
  const byOption = known.get(health) ?? new Map<string, WeakSet<object>>();
  known.set(health, byOption);
  const clients = byOption.get(option) ?? new WeakSet();
  byOption.set(option, clients);
  const members = membersOf(value).map(([, client]) => client);
  const added = (members.length === 0 ? [value] : members).filter((client) => !clients.has(Object(client)));
  for (const client of added) clients.add(Object(client));
  return added.length > 0;
}

const isCheck = (value: unknown): value is Check => typeof value === 'function';

const maxLength = 1000;
const logged = new Set<string>();

/** Prints the problem, in one line and once: the service starts all the same. */
export function logMistake(thrown: unknown): void {
  const line = `lifesign/auto: ${printable(clean(errorText(thrown), maxLength))}\n`;
  if (logged.has(line)) return;
  logged.add(line);
  process.stderr.write(line);
}

function errorText(thrown: unknown): string {
  return thrown instanceof LifesignError ? `${thrown.code}: ${thrown.message}` : describe(thrown);
}

/** The value of a variable of lifesign/auto; the fallback if it is not set, or wrong. */
export function setting<T>(name: string, rule: Rule<T>, fallback: T): T {
  try {
    return readOption(undefined, name, rule, fallback);
  } catch (thrown) {
    logMistake(thrown);
    return fallback;
  }
}
