import { isError, isObject, read, textIn } from '../objects.js';
import { attempt } from '../runtime.js';
import { clean, describe } from './scrub.js';
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
const maxDepth = 5;
const maxErrors = 20;

/**
 * The error, for a logger of the application: a copy with its name, message, code, stack and causes, without secrets
 * and of bounded size. Never throws, and calls nothing of the error's class.
 */
export function errorCopy(thrown: unknown): unknown {
  return copyOf(thrown, new Set(), 0);
}

function copyOf(thrown: unknown, seen: Set<object>, depth: number): unknown {
  if (typeof thrown === 'string') return clean(thrown, maxMessageLength);
  if (/^(?:number|boolean|undefined)$/.test(typeof thrown) || thrown === null) return thrown;
  // A value that was seen before becomes text too: circular references must not reach a logger.
  if (!isObject(thrown) || depth > maxDepth || seen.size === maxErrors || seen.has(thrown))
    return describe(thrown);
  seen.add(thrown);
  const copy = (each: unknown) => copyOf(each, seen, depth + 1);
  return attempt(() => (isError(thrown) ? copyError(thrown, copy) : plainCopy(thrown))) ?? describe(thrown);
}

function copyError(error: object, copy: (cause: unknown) => unknown): Error {
  const message = clean(textIn(error, 'message') ?? '', maxMessageLength);
  const name = clean(textIn(error, 'name') ?? 'Error', 100);
  const stack = clean(textIn(error, 'stack') ?? '', maxStackLength);
  const constructor = read(error, 'constructor');
  const type = (typeof constructor === 'function' && clean(constructor.name, 100)) || name;
  const cause = read(error, 'cause');
  const errors = read(error, 'errors');
  const further = {
    ...(cause !== undefined && { cause: copy(cause) }),
    ...(Array.isArray(errors) && { errors: errors.slice(0, 10).map(copy) }),
  };
  const fields = scalarsOf(error);
  const toJSON = () => ({ type, name, message, ...fields, stack, ...further });
  const result = Object.assign(new Error(message), fields);
  // Serializers show the name of the constructor as the type of an error.
  const members = {
    name,
    stack,
    ...further,
    toJSON,
    ...(typeof constructor === 'function' && { constructor }),
  };
  for (const [key, value] of Object.entries(members))
    Object.defineProperty(result, key, { value, writable: true, configurable: true });
  return result;
}

function plainCopy(thrown: object): unknown {
  const message = textIn(thrown, 'message');
  const fields = {
    ...(message !== undefined && { message: clean(message, maxMessageLength) }),
    ...scalarsOf(thrown),
  };
  return Object.keys(fields).length === 0 ? undefined : fields;
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
