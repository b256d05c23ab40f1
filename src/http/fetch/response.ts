import type { Answer, AnswerStream } from '../../core/endpoints.js';
import { onServerClose, type OnNode } from './node.js';

export function responseOf(
  { status, headers, body, bytes, stream }: Answer,
  node: OnNode | undefined,
): Response {
  if (stream !== undefined) return new Response(readable(stream, node), { status, headers });
  // Not even an empty body is allowed with a 204.
  return new Response(bytes === undefined ? body || null : new Uint8Array(bytes), { status, headers });
}

/** The pieces of an answer as the reader asks for them. */
function readable(pieces: AnswerStream, node: OnNode | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  const end = () => void iterator.return?.().catch(() => {});
  const stopWatching = node === undefined ? () => {} : onServerClose(node.incoming, end);
  return new ReadableStream(
    {
      start(controller) {
        pieces.onStuck = () => {
          stopWatching();
          controller.error(new Error('The client has stopped reading'));
          // The rest of the answer is dropped with the connection.
          node?.outgoing?.destroy?.();
        };
      },
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (done === true) {
          stopWatching();
          controller.close();
        } else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : new Uint8Array(value));
      },
      cancel() {
        stopWatching();
        end();
      },
    },
    { highWaterMark: 0 },
  );
}
