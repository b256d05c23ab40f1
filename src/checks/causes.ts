import { isObject } from './client.js';

/** Names that drivers, object mappers and clusters use for the error inside theirs. */
const wrappers = 'cause driverError original parent meta driverAdapterError lastNodeError'.split(' ');

/** An error and its wrapped errors: each library has its own property for them. */
export function causesOf(thrown: unknown): readonly object[] {
  const found: object[] = isObject(thrown) ? [thrown] : [{ message: thrown }];
  for (const error of found) {
    const errors = property(error, 'errors');
    const inner = wrappers.map((name) => property(error, name));
    for (const cause of [...inner, ...(Array.isArray(errors) ? errors.slice(0, 1) : [])]) {
      if (isObject(cause) && !found.includes(cause) && found.length < 10) found.push(cause);
    }
  }
  // The innermost knows best.
  return found.toReversed();
}

/** A property of whatever was thrown; getters and proxies may throw themselves. */
export function property(error: object, name: string): unknown {
  try {
    return Reflect.get(error, name);
  } catch {
    return undefined;
  }
}

/** The part of a message that names its subject. */
export function messageOf(error: object): string {
  const message = property(error, 'message');
  return typeof message === 'string' ? message.slice(0, 2000) : '';
}

/** Its codes: drivers have several names for them. */
export function codesOf(error: object): readonly string[] {
  const codes = ['code', 'originalCode', 'kind', 'rawCode'].map((name) => property(error, name));
  const name = property(error, 'name');
  // Redis has its code in the first word.
  const word = /^[A-Z]{5,}\b/.exec(messageOf(error))?.[0];
  return [...codes, name, word].filter((code) => typeof code === 'string');
}
