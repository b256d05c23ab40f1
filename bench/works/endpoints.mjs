// The endpoints: a liveness route, and a readiness route with three checks that resolve at once.
// Peers log nothing, so they are compared with lifesign when it logs nothing either.
import { bare, own, peer } from './rows.mjs';

const live = '/__lbheartbeat__';
const ready = '/__heartbeat__';

/** lifesign with the default options, which log every probe, and with the leanest. */
const pair = (framework, path, budget) => [
  own(framework, 'default', path),
  own(framework, 'lean', path, { budget, quick: framework === 'node' }),
];

export const endpoints = [
  {
    name: 'live: node:http',
    likeWithLike: 'lean',
    rows: [
      bare('node'),
      ...pair('node', live, 0.06),
      peer('node', 'terminus', '/live', '@godaddy/terminus'),
      peer('node', 'lightship', '/live', 'lightship (its own server)'),
    ],
  },
  {
    name: 'live: Express',
    likeWithLike: 'lean',
    rows: [
      bare('express'),
      ...pair('express', live, 0),
      peer('express', 'terminus', '/live', '@godaddy/terminus'),
      peer('express', 'actuators', '/health', 'express-actuator'),
    ],
  },
  {
    name: 'live: Fastify',
    likeWithLike: 'lean',
    rows: [
      bare('fastify'),
      ...pair('fastify', live, 0),
      peer('fastify', 'pressure', '/live', '@fastify/under-pressure'),
      peer('fastify', 'healthchecked', '/health', 'fastify-healthcheck'),
    ],
  },
  { name: 'live: Koa', rows: [bare('koa'), ...pair('koa', live, 0)] },
  { name: 'live: Hono', rows: [bare('hono'), ...pair('hono', live, 0)] },
  {
    name: 'live: NestJS',
    likeWithLike: 'lean',
    rows: [bare('nest'), ...pair('nest', live, 0), peer('nest', 'terminus', '/live', '@nestjs/terminus')],
  },
  {
    name: 'heartbeat, 3 checks: node:http',
    likeWithLike: 'lean',
    rows: [
      bare('node'),
      ...pair('node', ready, 0.25),
      {
        subject: 'node/synchronous/lean',
        path: ready,
        label: 'lifesign, the same with synchronous checks',
        own: true,
      },
      peer('node', 'terminus', '/ready', '@godaddy/terminus, no timeouts'),
    ],
  },
  {
    name: 'heartbeat, 3 checks: Express',
    likeWithLike: 'lean',
    rows: [
      bare('express'),
      ...pair('express', ready),
      peer('express', 'terminus', '/ready', '@godaddy/terminus, no timeouts'),
      peer('express', 'actuators', '/ready', 'express-actuator, no timeouts'),
    ],
  },
  {
    name: 'heartbeat, 3 checks: Fastify',
    likeWithLike: 'lean',
    rows: [
      bare('fastify'),
      ...pair('fastify', ready),
      peer('fastify', 'pressure', '/ready', '@fastify/under-pressure and a route by hand, no timeouts'),
    ],
  },
  {
    name: 'heartbeat, 3 checks: NestJS',
    likeWithLike: 'lean',
    rows: [
      bare('nest'),
      ...pair('nest', ready),
      peer('nest', 'terminus', '/ready', '@nestjs/terminus, no timeouts'),
    ],
  },
];
