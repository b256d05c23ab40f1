import type { ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';

/** Milliseconds after which a response of unknown length that is still being written counts as endless. */
const unending = 2000;
const eventStream = /^content-type:[ \t]*(?:text\/event-stream|multipart\/x-mixed-replace)/im;
const knownLength = /^content-length:/im;

/**
 * Whether only the application can end a response: an event stream, or a response of unknown length that it is still writing
 * `waited` milliseconds after the server stopped accepting connections.
 */
export function isEndless(response: ServerResponse, waited: number): boolean {
  return response.headersSent && !response.writableEnded && hasNoEnd(headOf(response), waited);
}

/** The same for the headers that a stream of HTTP/2 has sent. */
export function isEndlessStream(stream: ServerHttp2Stream, waited: number): boolean {
  const { sentHeaders, writableEnded } = stream;
  return sentHeaders !== undefined && !writableEnded && hasNoEnd(lines(sentHeaders), waited);
}

function hasNoEnd(head: string, waited: number): boolean {
  return eventStream.test(head) || (waited >= unending && !knownLength.test(head));
}

const lines = (headers: object): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');

/** Headers that were only passed to `writeHead` are in the head that Node wrote, and not in `getHeaders`. */
function headOf(response: ServerResponse): string {
  const written: unknown = Reflect.get(response, '_header');
  return typeof written === 'string' ? written : lines(response.getHeaders());
}
