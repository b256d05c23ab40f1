import { catchRejection } from '../guard.js';
import type { RequestContext } from './request.js';
import { isObject } from '../objects.js';

/** Longer than any id; a token that was taken for one must not flood the log. */
const maxLength = 200;

/** Where passport, token middleware and the usual models keep the id of a user. */
const names = ['id', 'uid', 'sub', 'userId', 'user_id', '_id'] as const;

/**
 * The user of a request: by the option, or as authentication has set it, `request.user.id` and the like.
 * Empty if the user is unknown, and for a request that never reached the application.
 */
export function uidOf(
  { request, user: find }: RequestContext,
  option: ((request: never) => unknown) | undefined,
  onError: (thrown: unknown) => void,
): string {
  if (!isObject(request)) return '';
  try {
    if (option !== undefined) {
      const user: unknown = Reflect.apply(option, undefined, [request]);
      // An async function gives no user in time.
      return catchRejection(user, onError) ? '' : uidText(user);
    }
    const user: unknown = find && Reflect.apply(find, undefined, [request]);
    return uidText(user) || ('user' in request ? uidText(request.user) : '');
  } catch (thrown) {
    onError(thrown);
    return '';
  }
}

/** A user, or an id itself, as the field `uid`: scalars only. */
function uidText(user: unknown): string {
  if (!isObject(user)) return scalarText(user);
  for (const name of names) {
    const text = scalarText(Reflect.get(user, name));
    if (text !== '') return text;
  }
  return '';
}

function scalarText(value: unknown): string {
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  return scalar ? String(value).slice(0, maxLength) : '';
}
