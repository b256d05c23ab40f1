// A route of the application: what every request of every user pays.
import { bare, own, peer } from './rows.mjs';

/** lifesign with one option after the other; `budgets` as shares of the bare route. */
const steps = (framework, { lean = 0.02, summary, all }) => {
  // The cost of Express itself drifts by more than a regression check could notice.
  const quick = framework !== 'express';
  return [
    own(framework, 'lean', '/', { budget: lean, quick }),
    own(framework, 'context', '/'),
    own(framework, 'summary', '/', { budget: summary, quick }),
    own(framework, 'default', '/', { budget: all, quick }),
  ];
};
const ends = (framework) => [own(framework, 'lean', '/', { budget: 0.02 }), own(framework, 'default', '/')];

const threeFields =
  'it writes three fields, without a request id; the default writes nine and carries the id through every await';

const byHand =
  'its id is known to nobody else, a client that left counts as a 200, requests that Node refuses are missing, and a full pipe blocks the process';

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
      ...steps('node', { summary: 0.15, all: 0.2 }),
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
      ...steps('express', { all: 0.06 }),
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
      ...steps('fastify', { summary: 0.15, all: 0.22 }),
      ...floors('fastify'),
      peer('fastify', 'logger', '/', "Fastify's logger"),
    ],
  },
  { name: 'application route: Koa', rows: [bare('koa'), ...ends('koa')] },
  {
    name: 'application route: Hono',
    likeWithLike: 'default',
    rows: [
      bare('hono'),
      ...ends('hono'),
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
        budget: 0.01,
      },
    ],
  },
  {
    name: 'metrics: node:http',
    rows: [
      own('node', 'lean', '/'),
      own('node', 'metrics', '/', { budget: 0.01 }),
      own('node', 'requests', '/', { budget: 0.03, quick: true }),
    ],
  },
  {
    name: 'metrics: Express',
    rows: [
      own('express', 'lean', '/'),
      own('express', 'metrics', '/', { budget: 0.01 }),
      own('express', 'requests', '/', { budget: 0.03 }),
    ],
  },
  {
    name: 'watchdog: node:http',
    likeWithLike: 'watchdog',
    rows: [
      own('node', 'lean', '/'),
      own('node', 'watchdog', '/', { budget: 0.01 }),
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
