import type { AnswerStream } from '../../core/endpoints.js';
import { outsideRequest } from '../../core/request/request.js';
import type { NodeRequest, NodeResponse } from './request.js';
import { onOver } from './over.js';
import { isObject } from '../../core/objects.js';

/** Milliseconds between looks at whether the servers of open streams close. */
const look = 250;

/** Sends the pieces of an answer as they come, until they end, the client leaves or the server closes. */
export async function sendStream(req: NodeRequest, res: NodeResponse, pieces: AnswerStream): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const end = () => void iterator.return?.().catch(() => {});
  const stopWatching = onServerClose(req, end);
  const over = () => {
    stopWatching();
    end();
  };
  onOver(req, res, over);
  pieces.onStuck = () => {
    over();
    // Its client takes nothing.
    res.destroy?.();
  };
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const { value } = next;
      // Waits for a slow reader; a closed connection ends the wait too.
      await new Promise<void>((resolve) => void res.write(value, () => resolve()));
    }
  } catch {
    // The page could not be made: the reason is in the log when it is opened again.
  }
  stopWatching();
  res.end('');
}

interface Watched {
  readonly server: unknown;
  readonly socket: { readonly destroyed: boolean };
  readonly over: () => void;
}

const watched = new Set<Watched>();
let timer: ReturnType<typeof setInterval> | undefined;

/**
 * A server that closes waits for open answers: one without an end would keep it open forever. There is no event for it, so we look,
 * with one timer for all. A broken connection has no event either if the answer still waited after another.
 */
export function onServerClose({ socket }: NodeRequest, over: () => void): () => void {
  const server: unknown = Reflect.get(socket, 'server');
  if (!listens(server)) return () => {};
  const one = { server, socket, over };
  watched.add(one);
  if (timer === undefined) {
    outsideRequest(() => {
      timer = setInterval(lookAround, look);
      timer.unref();
    });
  }
  return () => forget(one);
}

function forget(one: Watched): void {
  watched.delete(one);
  if (watched.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

function lookAround(): void {
  for (const one of watched) {
    if (!one.socket.destroyed && listens(one.server)) continue;
    forget(one);
    one.over();
  }
}

function listens(server: unknown): boolean {
  return isObject(server) && 'listening' in server && server.listening === true;
}
