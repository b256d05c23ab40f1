/** A header of whatever a framework calls a request: a Request, or one of Node. Its name is in small letters. */
export function headerOf(request: unknown, name: string): string {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return '';
  const { headers } = request;
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value: unknown = typeof headers === 'object' && headers !== null ? Reflect.get(headers, name) : '';
  return typeof value === 'string' ? value : '';
}
