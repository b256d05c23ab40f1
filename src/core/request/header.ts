import { isObject } from '../objects.js';

/** A header of whatever a framework calls a request: a Request, or one of Node. Its name is in small letters. */
export function headerOf(request: unknown, name: string): string {
  if (!isObject(request) || !('headers' in request)) return '';
  const { headers } = request;
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value: unknown = isObject(headers) ? Reflect.get(headers, name) : '';
  return typeof value === 'string' ? value : '';
}
