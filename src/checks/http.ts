import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { optionInvalid } from '../core/options/errors.js';
import { attempt } from '../core/runtime.js';
import { named } from './client.js';
import { messageFor, reasonOf } from './reasons.js';
import { judgeTime, thresholdsIn, type TimeThresholds } from './thresholds.js';

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
  const target = targetOf(url);
  const thresholds = thresholdsIn('http', options, ['method', 'headers', 'accepts']);
  const { method = 'GET', accepts = (status) => status >= 200 && status < 400 } = options;
  const authorization = takeCredentials(target);
  // The path and the query of a URL may hold a token; operators look for the host.
  const { host } = target;
  const check = named<Check>(`http_${host}`, async ({ signal }) => {
    const started = performance.now();
    const failed = [messageIds.http, `Request to ${host} failed`] as const;
    try {
      const headers = new Headers(options.headers);
      if (authorization !== undefined && !headers.has('authorization'))
        headers.set('authorization', authorization);
      const { status, body } = await fetch(target, { method, headers, redirect: 'manual', signal });
      const took = performance.now() - started;
      // An unread body would hold the connection.
      await body?.cancel();
      if (!accepts(status)) return [messageFor(failed, { text: `status ${status}` })];
      return judgeTime(took, thresholds, messageIds.http, `${host} answered after`);
    } catch (thrown) {
      // Without the error itself, which may have a header in its text.
      return [messageFor(failed, { text: reasonOf(thrown).text })];
    }
  });
  return withScope(check, 'shared');
}

/** Takes user and password out of a URL, which `fetch` refuses, and returns the header that sends them. */
function takeCredentials(target: URL): string | undefined {
  const { username, password } = target;
  if (username === '' && password === '') return undefined;
  target.username = '';
  target.password = '';
  // A percent sign may encode nothing.
  const [user, secret] = [username, password].map((part) => attempt(() => decodeURIComponent(part)) ?? part);
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${secret}`)))}`;
}

function targetOf(url: unknown): URL {
  const target = attempt(() => new URL(String(url)));
  if (target?.protocol === 'http:' || target?.protocol === 'https:') return target;
  // Its parts may be secret.
  const shown = typeof url === 'string' ? url.replace(/[?#].*$|^.*@/gs, '') : url;
  const fix = "Write checks.http('https://host/path').";
  throw optionInvalid('The URL passed to checks.http', shown, 'an absolute http or https URL', fix);
}
