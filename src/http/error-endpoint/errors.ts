import { errorPath } from '../../core/endpoints.js';
import { levels } from '../../core/heartbeat/levels.js';
import type { LogRecord } from '../../core/log.js';
import type { ResolvedErrorEndpoint } from '../../core/options/error-endpoint.js';
import { headerOf } from '../../core/request/header.js';
import { isToken } from './token.js';

/** Thrown on purpose: its name distinguishes it from real errors in error reports. */
class DeliberateError extends Error {
  override readonly name = 'DeliberateError';
}

/** The error for a request that has the token. */
export function errorFor<Request>(
  engine: { log(record: LogRecord): void },
  { token }: ResolvedErrorEndpoint,
  request: Request,
  note: (request: Request, error: Error) => void,
): Error | undefined {
  if (!isToken(bearerOf(request), token())) return undefined;
  const msg = `The ${errorPath} endpoint was called`;
  engine.log({ logger: 'health', level: levels.error, time: Date.now(), fields: {}, msg });
  const error = new DeliberateError(`${msg}: this error was thrown on purpose, to test error reporting`);
  note(request, error);
  return error;
}

/** A header, and never the query: addresses are kept in logs and histories. */
function bearerOf(request: unknown): string {
  const header = headerOf(request, 'authorization');
  return /^bearer /i.test(header) ? header.slice('bearer '.length).trim() : '';
}
