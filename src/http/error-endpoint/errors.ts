// Loaded if the endpoint is on.
import { errorPath, isAt, prefixed } from '../../core/endpoints.js';
import { levels } from '../../core/heartbeat/levels.js';
import type { LogRecord } from '../../core/log.js';
import type { ResolvedErrorEndpoint } from '../../core/options/error-endpoint.js';
import { optionInvalid } from '../../core/options/errors.js';
import { headerOf } from '../../core/request/header.js';
import { isToken } from './token.js';

/** The part of an engine that replaces members of the application. */
export interface Closing {
  readonly closed: boolean;
  onClose(close: () => void): () => void;
}

/** The part of an engine that is used. */
export interface ErrorHost {
  readonly options: {
    readonly errorEndpoint: ResolvedErrorEndpoint | undefined;
    readonly prefix: string | undefined;
  };
  matchAny(target: string): unknown;
  log(record: LogRecord): void;
}

/**
 * The error that a framework throws in place of the answer to a request, in its own way; undefined for every other request. `note`
 * adds it to the summary of the request.
 */
export type DeliberateErrors = <Request>(
  target: string,
  request: Request,
  note: (request: Request, error: Error) => void,
) => Error | undefined;

export function refuseHandler(onError: unknown): never {
  const expects = 'omitted with a framework that has its own error handler';
  throw optionInvalid('Option errorEndpoint.onError', onError, expects, 'That handler receives the error.');
}

export function refuseEndpoint(errorEndpoint: unknown): never {
  const expects = 'omitted on this platform, whose error handler lifesign does not support';
  const fix = 'Throw an error in your own route instead.';
  throw optionInvalid('Option errorEndpoint', errorEndpoint, expects, fix);
}

export function deliberateErrors(engine: ErrorHost, errorEndpoint: ResolvedErrorEndpoint): DeliberateErrors {
  const paths = prefixed(engine.options.prefix, [errorPath]);
  if (paths.some((path) => engine.matchAny(path) !== undefined)) {
    const expects = 'omitted while another feature is served at /__error__';
    throw optionInvalid('Option errorEndpoint', {}, expects, 'Change the path of that feature.');
  }
  return (target, request, note) =>
    paths.some((path) => isAt(target, path)) ? errorFor(engine, errorEndpoint, request, note) : undefined;
}

/** Thrown on purpose: its name distinguishes it from real errors in error reports. */
class DeliberateError extends Error {
  override readonly name = 'DeliberateError';
}

/** The error for a request that has the token. */
function errorFor<Request>(
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
