import { optionInvalid } from '../core/options/errors.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { type Check, withScope } from '../core/heartbeat/check.js';
import { named } from './client.js';
import { reasonOf } from './reasons.js';
import { judge, milliseconds, thresholdsIn, type TimeThresholds } from './thresholds.js';
import * as messageIds from '../core/heartbeat/message-ids.js';

/** Options of `checks.http`; `warn` and `error` are milliseconds until the answer begins. */
export interface HttpOptions extends TimeThresholds {
  /** Default `GET`. */
  readonly method?: 'GET' | 'HEAD';
  /** Headers of the request. They are never shown. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Which status codes are good. Default: 200 to 399. */
  readonly accepts?: (status: number) => boolean;
}

/**
 * A check of an HTTP service: `health.E015` when the request fails, or is slow. A user and a password in the URL are sent as
 * an `Authorization` header.
 *
 * @example health.check('search', checks.http('http://search:9200/', { warn: 500 }));
 */
export function http(url: string | URL, options: HttpOptions = {}): Check {
  const { target, authorization } = requestOf(url);
  const thresholds = thresholdsIn('http', options, ['method', 'headers', 'accepts']);
  const { method = 'GET', accepts = (status) => status >= 200 && status < 400 } = options;
  const headers = { ...authorization, ...lowerCased(options.headers) };
  // The path and the query of a URL may hold a token; operators look for the host.
  const failed = (text: string) => [
    new ErrorMessage(`Request to ${target.host} failed: ${text}`, { id: messageIds.http }),
  ];
  const check = named(`http_${target.host}`, async ({ signal }) => {
    const started = performance.now();
    try {
      const response = await fetch(target, { method, headers, redirect: 'manual', signal });
      const took = performance.now() - started;
      // An unread body would hold the connection.
      await response.body?.cancel();
      if (!accepts(response.status)) return failed(`status ${response.status}`);
      return judge(
        took,
        thresholds,
        messageIds.http,
        (threshold) =>
          `${target.host} answered after ${milliseconds(took)}, above ${milliseconds(threshold)}`,
      );
    } catch (thrown) {
      return failed(reasonOf(thrown).text);
    }
  });
  return withScope(check, 'shared');
}

/** The target of the request. `fetch` refuses a URL with a user and a password: they are sent in a header. */
function requestOf(url: unknown): {
  readonly target: URL;
  readonly authorization: Readonly<Record<string, string>>;
} {
  const target = targetOf(url);
  const { username, password } = target;
  if (username === '' && password === '') return { target, authorization: {} };
  target.username = '';
  target.password = '';
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return { target, authorization: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}

/** A part of a URL, which may have a percent sign that encodes nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Headers of the caller replace those of the URL, however they are written. */
const lowerCased = (headers: HttpOptions['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** The given value, without the parts of it that may be secret. */
const whole = (url: unknown) => (typeof url === 'string' ? url.replace(/[?#].*$|^.*@/gs, '') : url);

function targetOf(url: unknown): URL {
  const fix = "Write checks.http('https://host/path').";
  try {
    const target = new URL(String(url));
    if (target.protocol === 'http:' || target.protocol === 'https:') return target;
  } catch {
    // Refused below.
  }
  throw optionInvalid('The URL passed to checks.http', whole(url), 'an absolute http or https URL', fix);
}
