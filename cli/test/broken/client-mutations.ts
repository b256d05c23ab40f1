import { gzipSync } from 'node:zlib';
import { endpoints, header, type Mutation, onGet, pathOf } from './mutation.js';
import type { Asked, Spoil, Wire } from './service.js';

/** What a review from outside found that verify missed, on every endpoint. */

const html = (answer: Wire) => {
  answer.body = '<html><body>ok</body></html>';
  answer.headers['Content-Type'] = 'text/html';
};
const another = (answer: Wire) => (answer.body = '{"status":"fine"}');

/** Spoils one request of an endpoint. */
const on =
  (endpoint: string, when: (asked: Asked) => boolean, change: (answer: Wire) => void): Spoil =>
  (answer, asked) => {
    const [path] = asked.path.split('?');
    if (asked.method === 'GET' && path?.replace(/\/$/, '') === pathOf(endpoint) && when(asked))
      change(answer);
  };

const isSlash = ({ path }: Asked) => path.endsWith('/');
const isQuery = ({ path }: Asked) => path.includes('?');
const sends = (name: string, value?: string) => (asked: Asked) =>
  value === undefined ? asked.headers[name] !== undefined : asked.headers[name] === value;

const changes: Readonly<Record<string, (answer: Wire) => void>> = {
  HTML: html,
  'another report': another,
  'no Vary': header('Vary'),
  'a cache': header('Cache-Control', 'max-age=60'),
};

const requests: Readonly<Record<string, readonly [rule: string, when: (asked: Asked) => boolean]>> = {
  'a slash': ['slash', isSlash],
  'a query': ['query', isQuery],
  'Accept: */*': ['clients', sends('accept', '*/*')],
  'a Range': ['clients', sends('range')],
  'no User-Agent': ['clients', ({ headers }) => headers['user-agent'] === undefined],
  'an Origin': ['clients', sends('origin')],
  'a load balancer': ['clients', sends('user-agent', 'GoogleHC/1.0')],
};

const clientMutations = endpoints.flatMap((endpoint) =>
  Object.entries(requests).flatMap(([request, [rule, when]]): Mutation[] =>
    [
      ...Object.entries(changes),
      ['a refusal', (answer: Wire) => (answer.status = 403)] as const,
      ['a part', (answer: Wire) => (answer.status = 206)] as const,
    ].map(([name, change]) => ({
      name: `${endpoint}: ${name} for ${request}`,
      finds: [rule, 'vary', 'content-type', 'json', 'cache-control'].map((kind) => `${endpoint}.${kind}`),
      spoil: on(endpoint, when, change),
    })),
  ),
);

const headers: readonly (readonly [name: string, value: string, rule: string])[] = [
  ['Location', '/login', 'stray-headers'],
  ['Refresh', '5; url=/login', 'stray-headers'],
  ['Retry-After', '120', 'stray-headers'],
  ['Access-Control-Allow-Credentials', 'true', 'stray-headers'],
  ['X-Api-Key', 'Zk3v9Qm2Xw7Lp1Rt8Yb4Nc6H', 'secrets'],
  ['X-Upstream', 'postgres://app:hunter2@db/app', 'secrets'],
  ['Authorization', 'Bearer c2VjcmV0LXRva2VuLTEyMzQ1Njc4', 'secrets'],
];
const headerMutations = endpoints.flatMap((endpoint) =>
  headers.map(([name, value, rule]) => ({
    name: `${endpoint}: ${name}: ${value}`,
    finds: [`${endpoint}.${rule}`],
    spoil: onGet(endpoint, header(name, value)),
  })),
);

const otherMutations = endpoints.flatMap((endpoint): Mutation[] => [
  {
    name: `${endpoint}: gzip for gzip;q=0`,
    finds: [`${endpoint}.encoding`],
    spoil: on(endpoint, sends('accept-encoding', 'gzip;q=0'), (answer) => {
      answer.body = gzipSync(answer.body);
      answer.headers['Content-Encoding'] = 'gzip';
    }),
  },
  {
    name: `${endpoint}: a key twice`,
    finds: [`${endpoint}.unique-keys`],
    spoil: onGet(
      endpoint,
      (answer) => (answer.body = String(answer.body).replace('{', '{"status":"ok","status":"ok",')),
    ),
  },
  {
    name: `${endpoint}: served in capitals`,
    finds: [`${endpoint}.exact`],
    spoil: (answer, { path, method }) => {
      if (method !== 'GET' || path !== pathOf(endpoint).toUpperCase()) return;
      const bodies = {
        version: '{"commit":"abc"}',
        heartbeat: '{"status":"ok","checks":{},"details":{}}',
        lbheartbeat: '{"status":"ok"}',
      };
      Object.assign(answer, { status: 200, body: bodies[endpoint] });
    },
  },
]);

const flapping: Mutation = {
  name: 'heartbeat: a check that comes and goes',
  finds: ['heartbeat.same-checks'],
  spoil: onGet('heartbeat', (answer, { nth }) => {
    if (nth % 2 === 0) answer.body = '{"status":"ok","checks":{"db":"ok"},"details":{}}';
  }),
};

export const reviewMutations: readonly Mutation[] = [
  ...clientMutations,
  ...headerMutations,
  ...otherMutations,
  flapping,
];
