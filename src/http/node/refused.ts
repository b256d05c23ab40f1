import { RequestContext } from '../../core/request/request.js';
import { hasCarried, latestOf } from './begin.js';
import type { Reporter } from './exchange.js';
import { type Connection, onFirstWrite } from './first-write.js';
import { isObject } from '../../core/objects.js';

/** Node's answers to malformed requests, by the code of its error. */
const refusals: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Connections that have had it: after bytes that cannot be read there is no further request. */
const refused = new WeakSet<object>();

/** The connection of a request that could not be read. */
export interface RefusedConnection extends Connection {
  readonly bytesRead: number;
}

/**
 * Logs a request that Node refuses before any listener for requests sees it: one that is malformed, too large or
 * too late. The answer is left to Node or to the application's listener for `clientError`.
 */
export function noteRefused(health: Reporter, error: unknown, socket: RefusedConnection): void {
  const expected = refusalOf(error);
  if (expected === undefined || refused.has(socket)) return;
  refused.add(socket);
  const latest = latestOf(socket);
  if (latest?.req.complete === false) {
    // It is the body of a request that has its exchange already.
    latest.refusedWith = expected;
    onFirstWrite(socket, (code) => (latest.refusedWith = code ?? expected));
    return;
  }
  // A connection that was opened in advance and never used.
  if (socket.bytesRead === 0) return;
  const { method, target } = firstLineOf(error, socket);
  const context = new RequestContext({ givenId: undefined }, false);
  const log = (code = expected) => {
    const summary = { method, target, code, complete: true, agent: undefined, lang: undefined };
    health.summarise(context, summary);
  };
  // While another answer is under way, the next bytes may be its own.
  if (latest === undefined) onFirstWrite(socket, log);
  else log();
}

/** The status code for an error of Node's parser; undefined for one of the connection, which is not a request. */
function refusalOf(error: unknown): number | undefined {
  if (!isObject(error) || !('code' in error)) return undefined;
  const code = String(error.code);
  return refusals[code] ?? (code.startsWith('HPE_') ? 400 : undefined);
}

/** Longer than any path that is worth a line. */
const maxLength = 8192;

/** Method and target as far as they arrived; only if the packet is known to begin with them. */
function firstLineOf(error: unknown, socket: RefusedConnection): { method: string; target: string } {
  const packet: unknown = Reflect.get(Object(error), 'rawPacket');
  const whole = packet instanceof Uint8Array && packet.length === socket.bytesRead && !hasCarried(socket);
  const text = whole ? Buffer.from(packet.subarray(0, maxLength)).toString('latin1') : '';
  const [, method = '', target = ''] = /^([A-Z][A-Z-]{1,30}) (\S+) HTTP\//.exec(text) ?? [];
  return { method, target };
}
