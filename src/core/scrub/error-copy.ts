import { isError, isObject, read, textIn } from '../objects.js';
import { clean, cleanOf, describe } from './scrub.js';
import { isSecretName } from './secrets.js';

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
    if (/^(?:number|boolean|undefined)$/.test(typeof thrown) || thrown === null) return thrown;
    if (!isObject(thrown)) return describe(thrown);
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
  const further = furtherOf(error, (each) => copyOf(each, copying, depth + 1));
  const define = (members: object, enumerable = false) => {
    for (const [key, value] of Object.entries(members))
      Object.defineProperty(copy, key, { value, enumerable, writable: true, configurable: true });
  };
  define({ message, stack, ...(read(copy, 'name') !== name && { name }), ...further });
  define(fields, true);
  // Methods of its class would look for members that the copy does not have.
  const type = clean(classOf(error), 100) || name;
  define({
    toJSON: () => ({ type, name, message, ...fields, stack, ...further }),
    toString: () => (message === '' ? name : `${name}: ${message}`),
  });
  const inspected = Symbol.for('nodejs.util.inspect.custom');
  Object.defineProperty(copy, inspected, { value: undefined, writable: true, configurable: true });
  return copy;
}

/** The causes, and the errors of an AggregateError. */
function furtherOf(error: object, copy: (thrown: unknown) => unknown): object {
  const cause = read(error, 'cause');
  const errors = read(error, 'errors');
  return {
    ...(cause !== undefined && { cause: copy(cause) }),
    ...(Array.isArray(errors) && { errors: Array.from(errors.slice(0, 10), copy) }),
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
  for (const key of Object.keys(error).slice(0, maxKeys)) {
    if (/^(?:message|stack|name|value)$/.test(key) || isSecretName(key)) continue;
    const value: unknown = Object.getOwnPropertyDescriptor(error, key)?.value;
    if (typeof value === 'number' || typeof value === 'boolean') scalars[key] = value;
    else if (typeof value === 'string' && shownTexts.has(key)) scalars[key] = clean(value, maxPropertyLength);
  }
  // A code is often a getter of the class.
  const code = textIn(error, 'code');
  if (code !== undefined) scalars['code'] ??= clean(code, maxPropertyLength);
  return scalars;
}

/** The class of the error if its prototypes have only methods and a name, else `Error`: serializers read inherited members too. */
function prototypeOf(error: object): object {
  const own: unknown = Object.getPrototypeOf(error);
  let prototype = own;
  for (let depth = 0; isObject(prototype) && isObject(own) && depth < 10; depth += 1) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(prototype));
    const isHarmless = members.every(
      ([key, { enumerable, value }]) =>
        enumerable !== true || typeof value === 'function' || (key === 'name' && typeof value === 'string'),
    );
    if (!isHarmless) break;
    if (prototype === Error.prototype) return own;
    prototype = Object.getPrototypeOf(prototype);
  }
  return Error.prototype;
}

function classOf(error: object): string {
  const type = read(error, 'constructor');
  return typeof type === 'function' ? (textIn(type, 'name') ?? '') : '';
}
