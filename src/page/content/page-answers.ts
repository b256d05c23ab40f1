import { type Answer, type AnswerStream, common, json, text } from '../../core/endpoints.js';

/** Headers of the page and the badge: a browser runs and loads only what `policy` names. */
const guarded = (policy: string) => ({
  'Content-Security-Policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'${policy}`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
});

/** The page; `script` and `style` are the sources of its one script and its one style, as base64 of their SHA-256. */
export const answerPage = (html: string, { script, style }: { script: string; style: string }): Answer =>
  text(
    200,
    'text/html; charset=utf-8',
    html,
    guarded(
      `; script-src 'sha256-${script}'; style-src 'sha256-${style}'; img-src data:; connect-src 'self'`,
    ),
  );
export const answerPageJson = (data: string): Answer => json(200, data);
export const answerBadge = (svg: string): Answer => text(200, 'image/svg+xml', svg, guarded(''));
const full = json(503, '{"error":"too many open health pages"}');
/** Beyond `page.connections` open pages. */
export const answerPageFull: Answer = { ...full, headers: { ...full.headers, 'Retry-After': '30' } };
/** Server-Sent Events: nothing on the way may change them or hold them back. */
export const answerEvents = (stream: AnswerStream, gzip: boolean): Answer => ({
  status: 200,
  headers: {
    'Content-Type': 'text/event-stream',
    ...(gzip && { 'Content-Encoding': 'gzip' }),
    Vary: common.Vary,
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  },
  body: '',
  stream,
});
