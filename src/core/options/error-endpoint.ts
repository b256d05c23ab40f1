import type { IncomingMessage, ServerResponse } from 'node:http';
import { optionInvalid } from './errors.js';
import type { Declares, Values } from './declaration.js';
import type { Rule } from './rules.js';

/** Handles the error on a plain server. Bivariant, as methods are: the request and response of HTTP/2 are accepted too. */
type ErrorHandler = {
  of(error: Error, request: IncomingMessage, response: ServerResponse): unknown;
}['of'];

/** Options of the endpoint that throws on purpose. The token is also read from `HEALTH_ERROR_ENDPOINT_TOKEN`. */
export interface ErrorEndpointOptions {
  /** The token that callers of `/__error__` send as `Authorization: Bearer …`: 32 to 1024 visible ASCII characters. */
  readonly token?: string | undefined;
  /** Only on node:http, which has no error handler: what your application does with an error. */
  readonly onError?: ErrorHandler | undefined;
}

/** The same, checked. */
export interface ResolvedErrorEndpoint {
  /** A function: who prints the options does not print the token. */
  readonly token: () => string;
  readonly onError: ErrorHandler | undefined;
}

/** Shorter ones can be guessed, longer ones do not fit into the headers of every proxy. */
const tokenRule: Rule<string> = {
  expects: 'a string of 32 to 1024 visible ASCII characters, such as the output of "openssl rand -hex 32"',
  accepts: (value): value is string => typeof value === 'string' && /^[\x21-\x7e]{32,1024}$/.test(value),
  fromText: (value) => value,
  secret: true,
};

const handlerRule: Rule<ErrorHandler> = {
  expects: 'a function that takes the error, the request and the response',
  accepts: (value): value is ErrorHandler => typeof value === 'function',
};

const parts = {
  token: [tokenRule, undefined],
  onError: [handlerRule, undefined],
} satisfies Declares<ErrorEndpointOptions>;

/** @internal */
export const errorEndpoint = () => ({
  parts,
  example: '{ token: process.env.ERROR_TOKEN }',
  resolve({ token, onError }: Values<typeof parts>, label: string): ResolvedErrorEndpoint {
    if (token === undefined) {
      const fix = 'Set it, or set HEALTH_ERROR_ENDPOINT_TOKEN, so that only you can call the endpoint.';
      throw optionInvalid(`Option ${label}.token`, token, tokenRule.expects, fix);
    }
    return { token: () => token, onError };
  },
});
