import {
  deliberateErrors,
  type DeliberateErrors,
  type ErrorHost,
  refuseEndpoint,
  refuseHandler,
} from './errors.js';

export type { Closing, DeliberateErrors, ErrorHost } from './errors.js';

/**
 * For frameworks that have an error handler; undefined if the endpoint is off. The request is the application's: without the
 * token, `/__error__` looks like any other path that does not exist.
 */
export function openErrorEndpoint(engine: ErrorHost): DeliberateErrors | undefined {
  const { errorEndpoint } = engine.options;
  if (errorEndpoint?.onError !== undefined) refuseHandler(errorEndpoint.onError);
  return errorsOf(engine);
}

/** If it is unknown how the application handles errors. */
export function refuseErrorEndpoint({ options: { errorEndpoint } }: ErrorHost): void {
  if (errorEndpoint !== undefined) refuseEndpoint(errorEndpoint);
}

/** For plain servers: undefined if the endpoint is off. */
export function errorsOf(engine: ErrorHost): DeliberateErrors | undefined {
  const { errorEndpoint } = engine.options;
  return errorEndpoint && deliberateErrors(engine, errorEndpoint);
}
