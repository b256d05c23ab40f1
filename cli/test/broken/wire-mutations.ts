import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { endpoints, header, moments, type Mutation, onGet, onMethod, pathOf } from './mutation.js';
import type { Wire } from './service.js';

/** Headers of the contract, and what may become of them. */
const headers: readonly [string, string | undefined, string][] = [
  ['Content-Type', undefined, 'content-type'],
  ['Content-Type', '', 'content-type'],
  ['Content-Type', 'text/html', 'content-type'],
  ['Content-Type', 'text/json', 'content-type'],
  ['Content-Type', 'application/json; charset=utf-8', 'charset'],
  ['Vary', undefined, 'vary'],
  ['Vary', '', 'vary'],
  ['Vary', 'Cookie', 'vary'],
  ['Vary', 'X-Accept-Encoding', 'vary'],
  ['Cache-Control', undefined, 'cache-control'],
  ['Cache-Control', 'max-age=60', 'cache-control'],
  ['Cache-Control', 'public', 'cache-control'],
  ['Age', '30', 'age'],
  ['Age', '0', 'age'],
  ['Set-Cookie', 'session=1; Path=/', 'cookies'],
];

const shown = (value: string | undefined) => (value === undefined ? 'none' : JSON.stringify(value));
const every = Object.entries(moments);

const headerMutations = endpoints.flatMap((endpoint) =>
  headers.flatMap(([name, value, rule]) =>
    every.map(([moment, when]) => ({
      name: `${endpoint}: ${name} ${shown(value)}, ${moment}`,
      finds: [`${endpoint}.${rule}`],
      spoil: onGet(endpoint, header(name, value), when),
    })),
  ),
);

const codes = [201, 202, 204, 206, 301, 302, 304, 307, 400, 401, 403, 404, 405, 418, 429, 500, 502, 503, 504];

const statusMutations = endpoints.flatMap((endpoint) =>
  codes.flatMap((status) =>
    every.flatMap(([moment, when]) => {
      // A missing version.json is a right answer, if all say so.
      if (endpoint === 'version' && status === 404 && moment === 'always') return [];
      const rules = ['status', 'conditional', 'code', 'stable'].map((rule) => `${endpoint}.${rule}`);
      return {
        name: `${endpoint}: ${status}, ${moment}`,
        finds: rules,
        spoil: onGet(endpoint, (answer) => (answer.status = status), when),
      };
    }),
  ),
);

const page = '<!doctype html><title>502 Bad Gateway</title>';
const bodies: Readonly<Record<string, (body: string) => string | Buffer>> = {
  empty: () => '',
  text: () => 'ok',
  null: () => 'null',
  'a list': () => '[]',
  'a number': () => '1',
  HTML: () => page,
  'cut off': (body) => body.slice(0, -1),
  'with more after it': (body) => `${body}x`,
  'with a byte order mark': (body) => `\uFEFF${body}`,
  'UTF-16': (body) => Buffer.from(body, 'utf16le'),
  'Latin-1': (body) => Buffer.from(body.replace('{', '{"café":1,'), 'latin1'),
  'NaN in it': (body) => body.replace('{', '{"load":NaN,'),
  'half of a character': (body) => body.replace('{', String.raw`{"x":"\ud83d",`),
};

const bodyMutations = endpoints.flatMap((endpoint) =>
  Object.entries(bodies).flatMap(([name, change]) =>
    every.map(([moment, when]) => ({
      name: `${endpoint}: a body that is ${name}, ${moment}`,
      finds: [`${endpoint}.json`, `${endpoint}.utf-8`],
      spoil: onGet(endpoint, (answer) => (answer.body = change(String(answer.body))), when),
    })),
  ),
);

const packed = (body: string | Buffer, encoding: string | undefined) => (answer: Wire) => {
  Object.assign(answer, { body, plain: true });
  if (encoding !== undefined) answer.headers['Content-Encoding'] = encoding;
};
const encodings: Readonly<Record<string, (answer: Wire) => void>> = {
  'gzip that is none': (answer) => packed(answer.body, 'gzip')(answer),
  'gzip that nobody announces': (answer) => packed(gzipSync(answer.body), undefined)(answer),
  'gzip that is cut off': (answer) => packed(gzipSync(answer.body).subarray(0, -9), 'gzip')(answer),
  'gzip twice': (answer) => packed(gzipSync(gzipSync(answer.body)), 'gzip')(answer),
  'gzip of another body': (answer) => packed(gzipSync('{"status":"no"}'), 'gzip')(answer),
  'deflate for gzip': (answer) => packed(deflateSync(answer.body), 'deflate')(answer),
  'brotli for gzip': (answer) => packed(brotliCompressSync(answer.body), 'br')(answer),
};
const encodingMutations = endpoints.flatMap((endpoint) => [
  ...Object.entries(encodings).map(([name, change]) => ({
    name: `${endpoint}: ${name}`,
    finds: ['encoding', 'json', 'details', 'shape'].map((rule) => `${endpoint}.${rule}`),
    spoil: onGet(endpoint, change, moments['with gzip']),
  })),
  {
    name: `${endpoint}: gzip for everybody`,
    finds: [`${endpoint}.encoding`],
    spoil: onGet(endpoint, (answer) => packed(gzipSync(answer.body), 'gzip')(answer)),
  },
]);

const methodMutations = endpoints.flatMap((endpoint): Mutation[] => {
  const on = (name: string, rule: string, method: string, change: (answer: Wire) => void) => ({
    name: `${endpoint}: ${method} ${name}`,
    finds: [`${endpoint}.${rule}`],
    spoil: onMethod(endpoint, method, change),
  });
  const refused = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'];
  return [
    ...refused.flatMap((method) =>
      [200, 204, 302].map((status) => on(`gives ${status}`, 'methods', method, (a) => (a.status = status))),
    ),
    ...refused
      .slice(0, 4)
      .flatMap((method) => [
        on('without Allow', 'methods', method, header('Allow')),
        on('with an Allow of its own', 'methods', method, header('Allow', 'POST')),
        on('gives 404', 'methods', method, (answer) => (answer.status = 404)),
      ]),
    on('gives 200', 'options', 'OPTIONS', (answer) => (answer.status = 200)),
    on('gives 405', 'options', 'OPTIONS', (answer) => (answer.status = 405)),
    on('without Allow', 'options', 'OPTIONS', header('Allow')),
    on('gives 405', 'head', 'HEAD', (answer) => (answer.status = 405)),
    on('gives 404', 'head', 'HEAD', (answer) => (answer.status = 404)),
    on('has a body', 'head', 'HEAD', (answer) => (answer.bodyOnHead = true)),
    on('has another length', 'head', 'HEAD', header('Content-Length', '1')),
    ...['Content-Type', 'Vary', 'Cache-Control'].flatMap((name) => [
      on(`without ${name}`, 'head', 'HEAD', header(name)),
      on(`with another ${name}`, 'head', 'HEAD', header(name, 'x/y')),
    ]),
  ];
});

const pathMutations = endpoints.flatMap((endpoint): Mutation[] => {
  const path = pathOf(endpoint);
  const own = (target: string, body: string): Mutation => ({
    name: `${endpoint}: ${target} answers ${body}`,
    finds: [`${endpoint}.exact`],
    spoil: (answer, asked) => {
      if (asked.path !== target) return;
      Object.assign(answer, { status: 200, body, headers: { 'Content-Type': 'application/json' } });
    },
  });
  const like = {
    version: ['{"commit":"abc","version":"1.0.0"}', '{ "version": "1.0.0", "commit": "abc" }'],
    heartbeat: [
      '{"status":"ok","checks":{},"details":{}}',
      '{"checks":{"db":"ok"},"details":{},"status":"ok"}',
    ],
    lbheartbeat: ['{"status":"ok"}', '{ "status": "ok", "at": 5 }'],
  }[endpoint];
  const bad = (name: string, rule: string, target: string, status: number): Mutation => ({
    name: `${endpoint}: ${name} gives ${status}`,
    finds: [`${endpoint}.${rule}`],
    spoil: (answer, asked) => {
      if (
        asked.path.startsWith(target) &&
        asked.method === 'GET' &&
        asked.path.length <= target.length + 12
      ) {
        if (asked.path !== `${path}/lifesign-verify`) answer.status = status;
      }
    },
  });
  return [
    ...like.flatMap((body) => [own(`${path}x`, body), own(`${path}/lifesign-verify`, body)]),
    ...[301, 403, 404].map((status) => bad('a slash', 'slash', `${path}/`, status === 404 ? 410 : status)),
    ...[301, 400, 403].map((status) => bad('a query', 'query', `${path}?`, status)),
  ];
});

const troubles = endpoints.flatMap((endpoint): Mutation[] => [
  ...every.slice(1).map(([moment, when]) => ({
    name: `${endpoint}: the connection breaks, ${moment}`,
    finds: ['status', 'conditional', 'encoding'].map((rule) => `${endpoint}.${rule}`),
    spoil: onGet(endpoint, (answer) => (answer.destroy = true), when),
  })),
  {
    name: `${endpoint}: slow`,
    finds: [`${endpoint}.latency`],
    args: ['--max-latency', '150ms'],
    spoil: onGet(
      endpoint,
      (answer) => (answer.delay = 250),
      ({ kind }) => kind === 'plain',
    ),
  },
  {
    name: `${endpoint}: a redirect to https`,
    finds: [`${endpoint}.status`],
    spoil: onGet(endpoint, (answer) => {
      answer.status = 301;
      answer.headers['Location'] = 'https://example.org/';
    }),
  },
]);

/** Mutations of what goes over the wire, whatever it says. */
export const wireMutations: readonly Mutation[] = [
  ...headerMutations,
  ...statusMutations,
  ...bodyMutations,
  ...encodingMutations,
  ...methodMutations,
  ...pathMutations,
  ...troubles,
];
