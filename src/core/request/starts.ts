import { isObject } from '../objects.js';

/** The message that Node publishes for each request, before anyone else has it. */
export interface Start {
  readonly request: object & { readonly url?: string | undefined };
  readonly response: object;
  readonly server: object & { emit(...args: unknown[]): unknown };
}

/** Whether a message of Node's channel is what Node publishes there. Others may publish anything, and an error in a subscriber ends the process. */
export function isStart(message: unknown): message is Start {
  if (!isObject(message) || !('request' in message && 'response' in message && 'server' in message))
    return false;
  const { request, response, server } = message;
  return (
    isObject(request) &&
    'url' in request &&
    typeof request.url === 'string' &&
    isObject(response) &&
    isObject(server) &&
    'emit' in server &&
    typeof server.emit === 'function'
  );
}
