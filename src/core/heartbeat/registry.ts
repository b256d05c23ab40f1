import { CheckRuns, type RegisteredCheck } from './run.js';
import { aboutOf, type Check, type ReadCheckOptions, requireCheckOptions } from './check.js';
import {
  checkDuplicate,
  checkNameMissing,
  checkNotFunction,
  decoratorLegacy,
  decoratorMisplaced,
  optionInvalid,
} from '../options/errors.js';
import type { ResolvedOptions } from '../options/options.js';
import { levels, maxNameLength } from './messages.js';
import { clean } from '../scrub/scrub.js';
import { isObject, isPlain, nameOf } from '../objects.js';

/** A check as it is registered, with its options and its runs. Throws if its name is missing, or another check's. */
export function registeredCheck(
  called: unknown,
  run: unknown,
  options: ReadCheckOptions,
  defaults: Pick<ResolvedOptions, 'cacheFor' | 'every' | 'coalesce' | 'checkOptions'>,
  others: readonly RegisteredCheck[],
): RegisteredCheck {
  if (!isCheck(run)) throw checkNotFunction(run);
  if (typeof called !== 'string' || called === '') throw checkNameMissing();
  // Names are in every body and log line, as texts are.
  const name = clean(called, maxNameLength);
  if (others.some((check) => check.name === name)) throw checkDuplicate(name);
  const { checkOptions, coalesce } = defaults;
  const byName = Object.hasOwn(checkOptions, name) ? checkOptions[name] : undefined;
  const { timeout, maxLevel, cacheFor, every, ...probed } = {
    cacheFor: defaults.cacheFor,
    every: defaults.every,
    ...(byName && requireCheckOptions(name, byName)),
    ...options,
  };
  const { scope, ...known } = aboutOf(run);
  return {
    ...known,
    name,
    key: JSON.stringify(name),
    run,
    timeout,
    maxLevel: levels[maxLevel ?? 'critical'],
    every,
    // A scheduled result may be as old as two intervals: then its schedule does not work, and heartbeats run the check.
    runs: new CheckRuns(coalesce, every === undefined ? cacheFor : 2 * every),
    ...probed,
    scope: probed.scope ?? scope,
  };
}

const isCheck = (value: unknown): value is Check => typeof value === 'function';

type Add = (name: string, run: unknown, options: ReadCheckOptions) => void;

/** `check` of a Health in all its forms: a function, a name and a function, a decorator that is bare or called. */
export function addCheck(args: readonly unknown[], add: Add): unknown {
  const [first, second, third] = args;
  if (args.length === 0) return (...method: readonly unknown[]) => onMethod('check', method, add);
  if (isDecoration(args)) return onMethod('check', args, add);
  if (typeof first !== 'string') {
    const name = nameOf(first);
    add(name, first, requireOptions(name, second));
    return first;
  }
  if (args.length > 1 && !mayBeOptions(second)) {
    add(first, second, requireOptions(first, third));
    return second;
  }
  const options = requireOptions(first, second);
  return (...method: readonly unknown[]) =>
    onMethod('check', method, (_name, bound) => add(first, bound, options));
}

/** `versionCallback` of a Health in all its forms: a function, a decorator that is bare or called. */
export function setVersion(args: readonly unknown[], set: (callback: unknown) => void): unknown {
  const use = (_name: string, bound: unknown) => set(bound);
  if (isDecoration(args)) return onMethod('versionCallback', args, use);
  if (args.length === 0) return (...method: readonly unknown[]) => onMethod('versionCallback', method, use);
  set(args[0]);
  return args[0];
}

/** Calls `use` with the decorated method, bound to its instance or class, when that is made. */
function onMethod(
  decorator: string,
  [method, context]: readonly unknown[],
  use: (name: string, bound: unknown, options: ReadCheckOptions) => void,
): void {
  if (!isContext(context)) throw decoratorLegacy(decorator, String(context));
  const { kind, name } = context;
  if (kind !== 'method') throw decoratorMisplaced(decorator, kind);
  context.addInitializer(function (this: unknown) {
    use(String(name), typeof method === 'function' ? method.bind(this) : method, {});
  });
}

/** Whether a function was called as a decorator: a standard one gets a context, a legacy one class, key and descriptor. */
function isDecoration([target, context, descriptor]: readonly unknown[]): boolean {
  if (isContext(context)) return true;
  if (typeof context !== 'string' && typeof context !== 'symbol') return false;
  return isObject(target) || isObject(descriptor);
}

function isContext(value: unknown): value is ClassMemberDecoratorContext {
  return isObject(value) && 'kind' in value && 'addInitializer' in value;
}

function requireOptions(check: string, value: unknown): ReadCheckOptions {
  if (value === undefined) return {};
  if (mayBeOptions(value)) return requireCheckOptions(check, value);
  const fix = "The name comes first: health.check('storage', fn).";
  throw optionInvalid(`The options of check ${check}`, value, 'an object such as { timeout: 500 }', fix);
}

/** Whether a value may be meant as options: an object with methods is meant as a check. */
function mayBeOptions(value: unknown): value is object {
  return isPlain(value) && Object.values(value).every((member) => typeof member !== 'function');
}
