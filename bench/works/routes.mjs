// A route of the application: what every request of every user pays.
import { bare, own, peer } from './rows.mjs';

/** What lifesign without summary and context may cost, and why a framework takes more. */
const lean = (framework) => ({ budget: 0.03, because: leanReasons[framework] });
const leanReasons = {
  fastify: 'one hook, which serves requests of inject()',
  hono: 'the URL of each Request is read at fetch, before the router reads it again',
  nest: 'one more middleware of the router',
};

/** What the floor of the same run takes, and so much for all that it leaves out. */
const overFloor = (framework, by, because) => ({
  summary: { over: { subject: `${framework}/floor`, by }, because },
  all: { over: { subject: `${framework}/floorInContext`, by }, because },
});

/** lifesign with one option after the other. */
const steps = (framework, { summary, all }) => {
  // The cost of Express itself drifts by more than a regression check could notice.
  const quick = framework !== 'express';
  return [
    own(framework, 'lean', '/', { ...lean(framework), quick }),
    own(framework, 'context', '/'),
    own(framework, 'summary', '/', summary),
    own(framework, 'default', '/', { ...all, quick }),
  ];
};
const ends = (framework, all = {}) => [
  own(framework, 'lean', '/', lean(framework)),
  own(framework, 'default', '/', all),
];

const threeFields =
  'it writes three fields, without a request id; the default writes nine and carries the id through every await';

const byHand =
  'its id is known to nobody else, a client that left counts as a 200, and a full pipe blocks the process';

/** The least that a summary can cost. */
const floors = (framework) => [
  peer(framework, 'floor', '/', 'the floor: nine fields by hand', byHand),
  peer(framework, 'floorInContext', '/', 'the floor inside AsyncLocalStorage', byHand),
];

export const routes = [
  {
    name: 'application route: node:http',
    likeWithLike: 'default',
    rows: [
      bare('node'),
      ...steps('node', overFloor('node', 0.15)),
      own('node', 'default', '/', { note: 'log to /dev/null', log: 'null' }),
      peer('node', 'pinoHttp', '/', 'pino-http'),
      {
        ...peer('node', 'pinoHttp', '/', 'pino-http, log to /dev/null', 'its lines go to no reader'),
        log: 'null',
      },
      peer('node', 'pino', '/', 'pino, three fields by hand', threeFields),
      ...floors('node'),
      peer('node', 'byHand', '/', 'the nine fields by hand', byHand),
      peer('node', 'winston', '/', 'winston, three fields by hand', threeFields),
    ],
  },
  {
    name: 'application route: Express',
    likeWithLike: 'default',
    rows: [
      bare('express'),
      ...steps('express', { all: { budget: 0.12 } }),
      peer('express', 'pinoHttp', '/', 'pino-http'),
      peer(
        'express',
        'morgan',
        '/',
        'morgan combined',
        'it writes a line of text with no JSON and no request id',
      ),
    ],
  },
  {
    name: 'application route: Fastify',
    likeWithLike: 'default',
    rows: [
      bare('fastify'),
      ...steps('fastify', overFloor('fastify', 0.15, 'two hooks, and its request.id is our id')),
      ...floors('fastify'),
      peer('fastify', 'logger', '/', "Fastify's logger"),
    ],
  },
  {
    name: 'application route: Koa',
    likeWithLike: 'default',
    rows: [bare('koa'), ...ends('koa'), peer('koa', 'pino', '/', 'koa-pino-logger')],
  },
  {
    name: 'application route: Hono',
    likeWithLike: 'default',
    rows: [
      bare('hono'),
      ...ends(
        'hono',
        overFloor('hono', 0.15, 'its Context is known to handlers only, so they are wrapped').all,
      ),
      ...floors('hono'),
      peer(
        'hono',
        'logger',
        '/',
        "Hono's logger",
        'it writes two lines of text with no JSON and no request id',
      ),
    ],
  },
  { name: 'application route: NestJS', rows: [bare('nest'), ...ends('nest')] },
];

/** What an option adds to the same route with lifesign: the first row has lifesign already. */
export const additions = [
  {
    name: 'lifesign/auto: node:http',
    rows: [
      own('node', 'default', '/', { note: 'with code' }),
      {
        subject: 'node/auto',
        path: '/',
        label: 'lifesign/auto, default options',
        own: true,
        budget: 0.05,
      },
    ],
  },
  {
    name: 'metrics: node:http',
    rows: [own('node', 'lean', '/'), own('node', 'metrics', '/', { budget: 0.02, quick: true })],
  },
  {
    name: 'metrics: Express',
    rows: [own('express', 'lean', '/'), own('express', 'metrics', '/', { budget: 0.02 })],
  },
  {
    name: 'watchdog: node:http',
    likeWithLike: 'watchdog',
    rows: [
      own('node', 'lean', '/'),
      own('node', 'watchdog', '/', { budget: 0.03 }),
      peer(
        'node',
        'idleThread/lean',
        '/',
        'a thread that does nothing',
        'it does nothing: the least that a second thread costs',
      ),
      peer(
        'node',
        'sentryAnr/lean',
        '/',
        '@sentry/node, anrIntegration with stacks',
        'it only notices a block; it answers no probe from its thread',
      ),
      peer('node', 'blockedAt/lean', '/', 'blocked-at'),
    ],
  },
];
