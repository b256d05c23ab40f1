/** What to send: framework files write it and add nothing. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The three endpoints of the contract. */
export type Endpoint = 'version' | 'heartbeat' | 'lbheartbeat';

const endpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/__version__', 'version'],
  ['/__heartbeat__', 'heartbeat'],
  ['/__lbheartbeat__', 'lbheartbeat'],
]);

const underscore = 95;

/** The endpoint a request target names: exactly, or with one slash at its end, with any query. */
export function matchEndpoint(target: string): Endpoint | undefined {
  // Most requests are the application's own and leave here.
  if (target.charCodeAt(1) !== underscore || target.charCodeAt(2) !== underscore) return undefined;
  const query = target.indexOf('?');
  const path = query === -1 ? target : target.slice(0, query);
  return endpoints.get(path.endsWith('/') ? path.slice(0, -1) : path);
}

const allow = 'GET, HEAD, OPTIONS';

/** The answer to a method that asks for nothing the endpoints serve; undefined for GET and HEAD. */
export function answerMethod(method: string): Answer | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return undefined;
    case 'OPTIONS':
      return { status: 204, headers: { ...common, Allow: allow }, body: '' };
    default: {
      const refusal = json(405, `{"error":"method not allowed"}`);
      return { ...refusal, headers: { ...refusal.headers, Allow: allow } };
    }
  }
}

/** The same answer without its body, as HEAD asks for it. */
export function withoutBody(answer: Answer): Answer {
  return { ...answer, body: '' };
}

const common = { Vary: 'Accept-Encoding', 'Cache-Control': 'no-store' } as const;

function json(status: number, body: string): Answer {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...common, 'Content-Length': byteLength(body) },
    body,
  };
}

export const answerUp: Answer = json(200, '{"status":"ok"}');
export const answerDraining: Answer = json(503, '{"status":"draining"}');
export const answerVersion = (version: string): Answer => json(200, version);
export const answerNoVersion: Answer = json(404, '{"error":"version.json not found"}');
export const answerBrokenVersion = (sentence: string): Answer =>
  json(500, JSON.stringify({ error: sentence }));
export const answerPassed = (report: string): Answer => json(200, report);
export const answerFailed = (status: number, report: string): Answer => json(status, report);

/** `Vary` where another layer has set one already: ours is added to it, never twice. */
export function mergeVary(existing: string): string {
  const names = new Set(existing.split(',').map((name) => name.trim().toLowerCase()));
  if (names.has('*') || names.has('accept-encoding')) return existing;
  return existing.trim() === '' ? common.Vary : `${existing}, ${common.Vary}`;
}

const encoder = new TextEncoder();

function byteLength(text: string): string {
  return String(globalThis.Buffer?.byteLength(text) ?? encoder.encode(text).length);
}
