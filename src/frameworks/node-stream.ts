import type { NodeRequest, NodeResponse } from './node-http.js';

/** Milliseconds between looks at whether the server closes. */
const look = 250;

/** Sends the pieces of an answer as they come, until they end, the client leaves or the server closes. Never rejects. */
export async function sendStream(
  req: NodeRequest,
  res: NodeResponse,
  pieces: AsyncIterable<string>,
): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  const end = () => void iterator.return?.();
  const stopWatching = onServerClose(req, end);
  res.on('close', () => {
    stopWatching();
    end();
  });
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      const { value } = next;
      // Waits for a reader that is slow; a gone one ends the wait too.
      await new Promise<void>((resolve) => void res.write(value, () => resolve()));
    }
  } catch {
    // The page could not be made: whoever opens it anew finds the reason in the log.
  }
  res.end('');
}

/** A server that closes waits for open answers: one without an end would keep it for ever. It tells nobody, so we look. */
function onServerClose(req: NodeRequest, closing: () => void): () => void {
  const server: unknown = Reflect.get(req.socket, 'server');
  if (!listens(server)) return () => {};
  const timer = setInterval(() => {
    if (!listens(server)) closing();
  }, look);
  timer.unref();
  return () => clearInterval(timer);
}

function listens(server: unknown): boolean {
  return typeof server === 'object' && server !== null && 'listening' in server && server.listening === true;
}
