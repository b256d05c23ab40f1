import { errorPath, isAt, prefixed } from '../../core/endpoints.js';
import type { LogRecord } from '../../core/log.js';
import type { ResolvedErrorEndpoint } from '../../core/options/error-endpoint.js';
import { optionInvalid } from '../../core/options/errors.js';
import { errorFor } from './errors.js';

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

/**
 * For frameworks that have an error handler; undefined if the endpoint is off. The request is the application's: without the
 * token, `/__error__` looks like any other path that does not exist.
 */
export function openErrorEndpoint(engine: ErrorHost): DeliberateErrors | undefined {
  const { errorEndpoint } = engine.options;
  if (errorEndpoint?.onError === undefined) return errorsOf(engine);
  const expects = 'omitted with a framework that has its own error handler';
  throw optionInvalid(
    'Option errorEndpoint.onError',
    errorEndpoint.onError,
    expects,
    'That handler receives the error.',
  );
}

/** If it is unknown how the application handles errors. */
export function refuseErrorEndpoint({ options: { errorEndpoint } }: ErrorHost): void {
  if (errorEndpoint === undefined) return;
  const expects = 'omitted on this platform, whose error handler lifesign does not support';
  throw optionInvalid(
    'Option errorEndpoint',
    errorEndpoint,
    expects,
    'Throw an error in your own route instead.',
  );
}

export function errorsOf(engine: ErrorHost): DeliberateErrors | undefined {
  const { errorEndpoint, prefix } = engine.options;
  if (errorEndpoint === undefined) return undefined;
  const paths = prefixed(prefix, [errorPath]);
  if (paths.some((path) => engine.matchAny(path) !== undefined)) {
    const expects = 'omitted while another feature is served at /__error__';
    throw optionInvalid('Option errorEndpoint', {}, expects, 'Change the path of that feature.');
  }
  return (target, request, note) =>
    paths.some((path) => isAt(target, path)) ? errorFor(engine, errorEndpoint, request, note) : undefined;
}
