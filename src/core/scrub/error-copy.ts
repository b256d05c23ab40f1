import { isError, isObject } from '../objects.js';
import { attempt, host } from '../runtime.js';
import { clean, cleanOf, describe } from './scrub.js';
import { isSecretName } from './secrets.js';
import { read, textIn } from '../objects.js';

/** Texts on an error that help an operator. Any other may be a secret that nothing marks as one, and is left out. */
const shownTexts = new Set(
  'code errno syscall address host hostname port path dest status statusText severity routine sqlState sqlstate constraint table column schema dataType file line position kind type reason signal errorCode codeName state requestId clientVersion'.split(
    ' ',
  ),
);
const maxStackLength = 8192;
const maxMessageLength = 2000;
const maxPropertyLength = 500;
const maxKeys = 50;
const deepest = 5;

/** The rest of the budget for one thrown value: a web of causes must not take forever. */
interface Copying {
  left: number;
  readonly seen: Set<object>;
}

/**
 * The error, for a logger of the application: a copy that still looks like the error (class, name, message,
 * code, stack, causes), without secrets and of bounded size. Never throws, and calls nothing of the error's class.
 */
export function errorCopy(thrown: unknown): unknown {
  return copyOf(thrown, { left: 20, seen: new Set() }, 0);
}

function copyOf(thrown: unknown, copying: Copying, depth: number): unknown {
  try {
    if (typeof thrown === 'string') return clean(thrown, maxMessageLength);
    if (typeof thrown === 'number' || typeof thrown === 'boolean' || thrown === null) return thrown;
    if (typeof thrown !== 'object') return thrown === undefined ? undefined : describe(thrown);
    if (!isError(thrown)) return plainOf(thrown);
    copying.left -= 1;
    // A value that was seen before becomes text too: circular references must not reach a logger.
    if (depth > deepest || copying.left < 0 || copying.seen.has(thrown)) return describe(thrown);
    copying.seen.add(thrown);
    return copyError(thrown, copying, depth);
  } catch {
    return describe(thrown);
  }
}

function copyError(error: object, copying: Copying, depth: number): Error {
  const message = cleanOf(textIn(error, 'message') ?? '', error, maxMessageLength);
  const copy = new Error(message);
  Object.setPrototypeOf(copy, prototypeOf(error));
  const name = clean(textIn(error, 'name') ?? 'Error', 100);
  const stack = cleanOf(textIn(error, 'stack') ?? '', error, maxStackLength);
  const fields = scalarsOf(error);
  define(copy, 'message', message);
  define(copy, 'stack', stack);
  if (read(copy, 'name') !== name) define(copy, 'name', name);
  const further = furtherOf(error, copying, depth);
  for (const [key, value] of Object.entries(further)) define(copy, key, value);
  for (const [key, value] of Object.entries(fields)) define(copy, key, value, true);
  // Methods of its class would look for members that the copy does not have.
  const type = className(error) ?? name;
  define(copy, 'toJSON', () => ({ type, name, message, ...fields, stack, ...further }));
  define(copy, 'toString', () => (message === '' ? name : `${name}: ${message}`));
  define(copy, Symbol.for('nodejs.util.inspect.custom'), undefined);
  return copy;
}

/** The causes, and the errors of an AggregateError. */
function furtherOf(error: object, copying: Copying, depth: number): { cause?: unknown; errors?: unknown } {
  const cause = read(error, 'cause');
  const errors = read(error, 'errors');
  return {
    ...(cause !== undefined && { cause: copyOf(cause, copying, depth + 1) }),
    ...(isList(errors) && {
      errors: Array.from({ length: Math.min(listLength(errors), 10) }, (_, index) =>
        copyOf(read(errors, index), copying, depth + 1),
      ),
    }),
  };
}

/** A thrown value that is not an error, as far as it can be shown. */
function plainOf(thrown: object): unknown {
  const message = textIn(thrown, 'message');
  const fields = {
    ...(message !== undefined && { message: cleanOf(message, thrown, maxMessageLength) }),
    ...scalarsOf(thrown),
  };
  return Object.keys(fields).length === 0 ? describe(thrown) : fields;
}

/** Own properties that are not objects and reveal no secret; getters are not called. */
function scalarsOf(error: object): Record<string, string | number | boolean> {
  const scalars: Record<string, string | number | boolean> = {};
  for (const key of keysOf(error)) {
    if (/^(?:message|stack|name|value)$/.test(key) || isSecretName(key)) continue;
    const value = ownValue(error, key);
    if (typeof value === 'number' || typeof value === 'boolean') scalars[key] = value;
    else if (typeof value === 'string' && shownTexts.has(key)) scalars[key] = clean(value, maxPropertyLength);
  }
  // A code is often a getter of the class.
  const code = read(error, 'code');
  if (scalars['code'] === undefined && typeof code === 'string')
    scalars['code'] = clean(code, maxPropertyLength);
  return scalars;
}

/** The class of the error if its prototypes are harmless, else `Error`. */
function prototypeOf(error: object): object {
  const isProxy = host.getBuiltinModule?.('node:util').types.isProxy ?? (() => false);
  try {
    const own: unknown = Object.getPrototypeOf(error);
    let prototype = own;
    for (let depth = 0; isObject(prototype) && depth < 10; depth += 1) {
      if (isProxy(prototype) || !Object.keys(prototype).every((key) => isHarmless(prototype, key))) break;
      if (prototype === Error.prototype && isObject(own)) return own;
      prototype = Object.getPrototypeOf(prototype);
    }
  } catch {
    // As below.
  }
  return Error.prototype;
}

/** Serializers read inherited members too. */
function isHarmless(prototype: unknown, key: string): boolean {
  const value = isObject(prototype) ? ownValue(prototype, key) : undefined;
  return typeof value === 'function' || (key === 'name' && typeof value === 'string');
}

function className(error: object): string | undefined {
  const type = read(error, 'constructor');
  const name = typeof type === 'function' ? ownValue(type, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? clean(name, 100) : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return attempt(() => Array.isArray(value)) === true;
}

function listLength(list: readonly unknown[]): number {
  const length = read(list, 'length');
  return typeof length === 'number' ? length : 0;
}

function keysOf(value: object): readonly string[] {
  return attempt(() => Object.keys(value).slice(0, maxKeys)) ?? [];
}

function ownValue(value: object, key: string): unknown {
  return attempt(() => Object.getOwnPropertyDescriptor(value, key)?.value);
}

function define(copy: Error, key: string | symbol, value: unknown, enumerable = false): void {
  Object.defineProperty(copy, key, { value, enumerable, writable: true, configurable: true });
}
