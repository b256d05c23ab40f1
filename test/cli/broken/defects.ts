import { gzipSync } from 'node:zlib';
import type { Defect, Wire } from './service.js';

type Spoil = Defect['spoil'];

const [version, heartbeat, lbheartbeat] = ['/__version__', '/__heartbeat__', '/__lbheartbeat__'];

/** Spoils one endpoint, whichever way it is asked. */
const on =
  (path: string | undefined, change: (answer: Wire) => void): Spoil =>
  (answer, request) => {
    if (request.path.split('?')[0]?.replace(/\/$/, '') === path) change(answer);
  };

/** Spoils the answers to one method. */
const onMethod =
  (method: string, path: string | undefined, change: (answer: Wire) => void): Spoil =>
  (answer, request) => {
    if (request.method === method && request.path === path) change(answer);
  };

const header = (name: string, value?: string) => (answer: Wire) => {
  delete answer.headers[name];
  if (value !== undefined) answer.headers[name] = value;
};

const report = (status: number, body: unknown): Spoil =>
  on(heartbeat, (answer) => {
    if (answer.status !== 200) return;
    answer.status = status;
    answer.body = JSON.stringify(body);
  });

const warning = { status: 'warning', level: 30, messages: { 'a.W1': 'slow' } };
const error = { status: 'error', level: 40, messages: { 'a.E1': 'down' } };

/** Every defect by its name. */
export const defects: Readonly<Record<string, Defect>> = {
  'a heartbeat behind a login': {
    finds: ['heartbeat.status', 'heartbeat.code'],
    spoil: on(heartbeat, (answer) => {
      if (answer.status === 200) answer.status = 401;
    }),
  },
  'a redirect to https': {
    finds: ['lbheartbeat.status'],
    spoil: on(lbheartbeat, (answer) => {
      if (answer.status === 200) answer.status = 301;
      answer.headers['Location'] = 'https://example.org/';
    }),
  },
  'a missing version.json that is a 500': {
    finds: ['version.status'],
    spoil: on(version, (answer) => {
      if (answer.status === 200) answer.status = 500;
    }),
  },
  'an HTML error page': {
    finds: ['version.json', 'version.content-type'],
    spoil: on(version, (answer) => {
      if (answer.status !== 200) return;
      Object.assign(answer, { status: 404, body: '<h1>not found</h1>' });
      answer.headers['Content-Type'] = 'text/html';
    }),
  },
  'a charset behind the content type': {
    finds: ['heartbeat.content-type'],
    spoil: on(heartbeat, header('Content-Type', 'application/json; charset=utf-8')),
  },
  'no Vary': { finds: ['version.vary'], spoil: on(version, header('Vary')) },
  'a Vary on something else': { finds: ['heartbeat.vary'], spoil: on(heartbeat, header('Vary', 'Cookie')) },
  'Vary twice': {
    finds: ['lbheartbeat.vary'],
    spoil: on(lbheartbeat, header('Vary', 'Accept-Encoding, Origin, accept-encoding')),
  },
  'a heartbeat that may be cached': {
    finds: ['heartbeat.cache-control'],
    spoil: on(heartbeat, header('Cache-Control', 'max-age=60')),
  },
  'a list instead of an object': {
    finds: ['version.json'],
    spoil: onMethod('GET', version, (answer) => (answer.body = '[]')),
  },
  'plain text': {
    finds: ['lbheartbeat.json'],
    spoil: onMethod('GET', lbheartbeat, (answer) => (answer.body = 'ok')),
  },
  'gzip for everybody': {
    finds: ['version.encoding', 'version.json'],
    spoil: onMethod('GET', version, (answer) => {
      answer.body = gzipSync(answer.body);
      answer.headers['Content-Encoding'] = 'gzip';
    }),
  },
  'gzip that is none': {
    finds: ['heartbeat.encoding'],
    spoil: (answer, { path, headers }) => {
      if (path === heartbeat && headers['accept-encoding'] === 'gzip')
        answer.headers['Content-Encoding'] = 'gzip';
    },
  },
  'gzip that nobody announces': {
    finds: ['lbheartbeat.encoding'],
    spoil: (answer, { path, headers }) => {
      if (path === lbheartbeat && headers['accept-encoding'] === 'gzip') answer.body = gzipSync(answer.body);
    },
  },
  'a body larger than a kubelet reads': {
    finds: ['heartbeat.size'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { status: 'error', level: 40, messages: { 'a.E1': 'x'.repeat(11_000) } } },
    }),
  },
  'a slow version': {
    finds: ['version.latency'],
    args: ['--max-latency', '800ms'],
    spoil: onMethod('GET', version, (answer) => (answer.delay = 1000)),
  },
  'a password in a message': {
    finds: ['heartbeat.secrets'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, messages: { 'a.E1': 'cannot reach postgres://app:hunter2@db/app' } } },
    }),
  },
  'a stack trace in a message': {
    finds: ['heartbeat.secrets'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, messages: { 'a.E1': 'Error: no\n    at connect (/app/db.js:3:7)' } } },
    }),
  },
  'HEAD refused': {
    finds: ['lbheartbeat.head'],
    spoil: onMethod('HEAD', lbheartbeat, (answer) => (answer.status = 405)),
  },
  'HEAD with a body': {
    finds: ['version.head'],
    spoil: onMethod('HEAD', version, (answer) => (answer.bodyOnHead = true)),
  },
  'HEAD with another content type': {
    finds: ['heartbeat.head'],
    spoil: onMethod('HEAD', heartbeat, header('Content-Type', 'text/plain')),
  },
  'OPTIONS like GET': {
    finds: ['heartbeat.options'],
    spoil: onMethod('OPTIONS', heartbeat, (answer) => (answer.status = 200)),
  },
  'POST runs the checks': {
    finds: ['heartbeat.methods'],
    spoil: onMethod('POST', heartbeat, (answer) => (answer.status = 200)),
  },
  '405 without Allow': { finds: ['version.methods'], spoil: onMethod('DELETE', version, header('Allow')) },
  'no slash at the end': {
    finds: ['heartbeat.slash'],
    spoil: onMethod('GET', `${heartbeat}/`, (answer) => (answer.status = 404)),
  },
  'no query string': {
    finds: ['version.query'],
    spoil: (answer, { path }) => {
      if (path.startsWith(`${version}?`)) answer.status = 404;
    },
  },
  'a prefix instead of a path': {
    finds: ['lbheartbeat.exact'],
    spoil: (answer, { path }) => {
      if (path === `${lbheartbeat}x`) Object.assign(answer, { status: 200, body: '{"status":"ok"}' });
    },
  },
  'a commit that is a number': {
    finds: ['version.fields'],
    spoil: onMethod('GET', version, (answer) => (answer.body = '{"commit":12345}')),
  },
  'a status word of its own': {
    finds: ['heartbeat.shape', 'heartbeat.overall'],
    spoil: report(200, { status: 'healthy', checks: {}, details: {} }),
  },
  'checks as a list': {
    finds: ['heartbeat.shape'],
    spoil: report(200, { status: 'ok', checks: ['db'], details: {} }),
  },
  'a boolean for a check': {
    finds: ['heartbeat.shape', 'heartbeat.details'],
    spoil: report(200, { status: 'ok', checks: { db: true }, details: {} }),
  },
  'checks without details': {
    finds: ['heartbeat.shape'],
    spoil: report(200, { status: 'ok', checks: { db: 'ok' } }),
  },
  'a level in words': {
    finds: ['heartbeat.shape', 'heartbeat.levels'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, level: 'error' } },
    }),
  },
  'messages as a list': {
    finds: ['heartbeat.shape'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, messages: ['down'] } },
    }),
  },
  'a message that is no text': {
    finds: ['heartbeat.shape'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, messages: { 'a.E1': { text: 'down' } } } },
    }),
  },
  'a level that is not that of its word': {
    finds: ['heartbeat.levels'],
    spoil: report(500, {
      status: 'error',
      checks: { db: 'error' },
      details: { db: { ...error, level: 30 } },
    }),
  },
  'a failed check without details': {
    finds: ['heartbeat.details'],
    spoil: report(500, { status: 'error', checks: { db: 'error', cache: 'error' }, details: { db: error } }),
  },
  'details of no check': {
    finds: ['heartbeat.details'],
    spoil: report(500, { status: 'error', checks: { db: 'error' }, details: { db: error, ghost: error } }),
  },
  'details that contradict the check': {
    finds: ['heartbeat.details'],
    spoil: report(500, { status: 'error', checks: { db: 'error' }, details: { db: warning } }),
  },
  'an overall status that is not the worst': {
    finds: ['heartbeat.overall'],
    spoil: report(500, {
      status: 'warning',
      checks: { db: 'error', cache: 'warning' },
      details: { db: error, cache: warning },
    }),
  },
  'a warning that gives 200': {
    finds: ['heartbeat.code'],
    spoil: report(200, { status: 'warning', checks: { cache: 'warning' }, details: { cache: warning } }),
  },
  'a 500 for ok': {
    finds: ['heartbeat.code'],
    spoil: report(500, { status: 'ok', checks: { db: 'ok' }, details: {} }),
  },
  'a 503 where 500 was said': {
    finds: ['heartbeat.status', 'heartbeat.code'],
    spoil: report(503, { status: 'error', checks: { db: 'error' }, details: { db: error } }),
  },
  'an lbheartbeat that fails with the checks': {
    finds: ['lbheartbeat.independent', 'lbheartbeat.status'],
    spoil: (answer, request) => {
      const failing = { status: 'error', checks: { db: 'error' }, details: { db: error } };
      report(500, failing)(answer, request);
      on(lbheartbeat, (lb) => {
        if (lb.status === 200) lb.status = 500;
      })(answer, request);
    },
  },
  'an lbheartbeat that lists the checks': {
    finds: ['lbheartbeat.independent'],
    spoil: onMethod('GET', lbheartbeat, (answer) => (answer.body = '{"status":"ok","checks":{"db":"ok"}}')),
  },
  'an lbheartbeat that takes as long as the checks': {
    finds: ['lbheartbeat.independent'],
    spoil: (answer, { method, path }) => {
      if (method === 'GET' && path !== version) answer.delay = 300;
    },
  },
};
