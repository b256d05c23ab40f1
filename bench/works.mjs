// What is measured over HTTP: the first contender of each work is the yardstick, budgets are for the ratio to it.

const live = (framework, subject, path, label, budget) => ({
  subject: `${framework}/${subject}`,
  path,
  label,
  budget,
});

/** The bare JSON route of a framework: the limit, and what every ratio is to. */
const bare = (framework) => live(framework, 'bare', '/', 'bare JSON route');

export const works = [
  {
    name: 'live: node:http',
    contenders: [
      bare('node'),
      live('node', 'lifesign', '/__lbheartbeat__', 'lifesign', 1.0),
      live('node', 'terminus', '/live', '@godaddy/terminus'),
      live('node', 'lightship', '/live', 'lightship (a server of its own)'),
    ],
  },
  {
    name: 'live: Express',
    contenders: [
      bare('express'),
      live('express', 'lifesign', '/__lbheartbeat__', 'lifesign', 6),
      live('express', 'terminus', '/live', '@godaddy/terminus'),
      live('express', 'actuators', '/health', 'express-actuator'),
    ],
  },
  {
    name: 'live: Fastify',
    contenders: [
      bare('fastify'),
      live('fastify', 'lifesign', '/__lbheartbeat__', 'lifesign', 0.95),
      live('fastify', 'pressure', '/live', '@fastify/under-pressure'),
      live('fastify', 'healthchecked', '/health', 'fastify-healthcheck'),
    ],
  },
  {
    name: 'live: Koa',
    contenders: [bare('koa'), live('koa', 'lifesign', '/__lbheartbeat__', 'lifesign', 1.0)],
  },
  {
    name: 'live: Hono',
    contenders: [bare('hono'), live('hono', 'lifesign', '/__lbheartbeat__', 'lifesign', 1.0)],
  },
  {
    name: 'live: NestJS',
    contenders: [
      bare('nest'),
      live('nest', 'lifesign', '/__lbheartbeat__', 'lifesign', 1.4),
      live('nest', 'terminus', '/live', '@nestjs/terminus'),
    ],
  },
  {
    name: 'ready, 3 checks: node:http',
    contenders: [
      bare('node'),
      live('node', 'lifesign', '/__heartbeat__', 'lifesign, timeouts on', 0.85),
      live('node', 'lifesign3sync', '/__heartbeat__', 'lifesign, synchronous checks'),
      live('node', 'terminus', '/ready', '@godaddy/terminus, no timeouts'),
    ],
  },
  {
    name: 'ready, 3 checks: Express',
    contenders: [
      bare('express'),
      live('express', 'lifesign', '/__heartbeat__', 'lifesign, timeouts on'),
      live('express', 'terminus', '/ready', '@godaddy/terminus, no timeouts'),
      live('express', 'actuators', '/ready', 'express-actuator, no timeouts'),
    ],
  },
  {
    name: 'ready, 3 checks: Fastify',
    contenders: [
      bare('fastify'),
      live('fastify', 'lifesign', '/__heartbeat__', 'lifesign, timeouts on'),
      live('fastify', 'pressure', '/ready', '@fastify/under-pressure, a route by hand'),
    ],
  },
  {
    name: 'ready, 3 checks: NestJS',
    contenders: [
      bare('nest'),
      live('nest', 'lifesign', '/__heartbeat__', 'lifesign, timeouts on'),
      live('nest', 'terminus', '/ready', '@nestjs/terminus'),
    ],
  },
  {
    name: 'ready, more checks: node:http',
    /** CPU microseconds that each further check beyond 100 may add. */
    perCheck: { from: 'lifesign100', to: 'lifesign300', checks: 200, budget: 0.5 },
    contenders: [
      bare('node'),
      live('node', 'lifesign30', '/__heartbeat__', 'lifesign, 30 checks'),
      live('node', 'lifesign100', '/__heartbeat__', 'lifesign, 100 checks'),
      live('node', 'lifesign300', '/__heartbeat__', 'lifesign, 300 checks'),
      live('node', 'lifesign300sync', '/__heartbeat__', 'lifesign, 300 synchronous checks'),
    ],
  },
  {
    name: 'application route: node:http',
    contenders: [
      bare('node'),
      live('node', 'lifesign', '/', 'lifesign, endpoints alone', 0.97),
      live('node', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('node', 'lifesignSummary', '/', 'lifesign with request.summary', 0.85),
      live('node', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('node', 'pinoHttpSummary', '/', 'pino-http'),
      live('node', 'pinoSummary', '/', 'pino, three fields by hand'),
      live('node', 'winstonSummary', '/', 'winston, three fields by hand'),
    ],
  },
  {
    name: 'application route: Express',
    contenders: [
      bare('express'),
      live('express', 'lifesign', '/', 'lifesign, endpoints alone', 0.97),
      live('express', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('express', 'lifesignSummary', '/', 'lifesign with request.summary', 0.8),
      live('express', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('express', 'pinoHttpSummary', '/', 'pino-http'),
      live('express', 'morganSummary', '/', 'morgan combined'),
    ],
  },
  {
    name: 'application route: Fastify',
    contenders: [
      bare('fastify'),
      live('fastify', 'lifesign', '/', 'lifesign, endpoints alone', 0.97),
      live('fastify', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('fastify', 'lifesignSummary', '/', 'lifesign with request.summary', 0.85),
      live('fastify', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('fastify', 'loggerSummary', '/', "Fastify's own logger"),
    ],
  },
];
