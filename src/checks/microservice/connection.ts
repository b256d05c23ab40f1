import { within } from '../../core/deadlines.js';
import { call } from '../client.js';
import type { MicroserviceClient } from './shapes.js';

/** The connections of the transport, if it exposes them: a socket, two Redis clients, a connection to a broker. */
export function partsOf(client: MicroserviceClient): readonly unknown[] {
  try {
    const below = call(client, 'unwrap');
    return Array.isArray(below) ? below : [below];
  } catch {
    // It is not connected.
    return [];
  }
}

/** The first reply to a message, or the end of the replies; an error that counts as a reply is not a failure. */
export function reply(
  client: MicroserviceClient,
  pattern: unknown,
  data: unknown,
  signal: AbortSignal,
  isReply: (thrown: unknown) => boolean = () => false,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void) => {
      signal.removeEventListener('abort', giveUp);
      then();
      // Not before the subscription is there: a reply may come while it is made.
      queueMicrotask(() => subscription.unsubscribe());
    };
    const giveUp = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', giveUp, { once: true });
    const subscription = client.send(pattern, data).subscribe({
      next: () => end(resolve),
      error: (thrown) => end(isReply(thrown) ? resolve : () => reject(thrown)),
      complete: () => end(resolve),
    });
  });
}

/** How long a connection that was made for a check may say goodbye. */
const grace = 500;

/** Closes a client that was made for a check, also one that is still connecting, and one whose server says nothing. */
export async function closeClient(
  client: MicroserviceClient,
  connecting: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  await close(client, signal.aborted ? 0 : grace);
  // A connection that opens only now is closed again.
  if (signal.aborted) connecting.then(() => close(client, 0), ignore).catch(ignore);
}

async function close(client: MicroserviceClient, time: number): Promise<void> {
  const parts = partsOf(client);
  const closing = (async () => client.close())().catch(ignore);
  await within<unknown>(closing, time, undefined);
  for (const part of parts) {
    // A socket, or a client of Redis: both wait for a server that is frozen.
    call(part, 'destroy');
    call(part, 'disconnect');
  }
}

const ignore = () => {};
