// What is measured over HTTP: the first contender of each work is the yardstick, budgets are for the ratio to it.

/**
 * A contender. `budget` is what we aim at; below `limit` a run fails: the budget itself, or where a machine may miss
 * that for no fault of ours, 10 to 30 per cent less than what was measured: short rounds are noisy.
 */
const live = (framework, subject, path, label, budget, limit = budget) => ({
  subject: `${framework}/${subject}`,
  path,
  label,
  budget,
  limit,
});

/** The bare JSON route of a framework: the limit, and what every ratio is to. */
const bare = (framework) => live(framework, 'bare', '/', 'bare JSON route');

export const works = [
  {
    name: 'live: node:http',
    contenders: [
      bare('node'),
      live('node', 'lifesign', '/__lbheartbeat__', 'lifesign', 1, 0.85),
      live('node', 'terminus', '/live', '@godaddy/terminus'),
      live('node', 'lightship', '/live', 'lightship (a server of its own)'),
    ],
  },
  {
    name: 'live: Express',
    contenders: [
      bare('express'),
      live('express', 'lifesign', '/__lbheartbeat__', 'lifesign', 6, 3.5),
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
    contenders: [bare('koa'), live('koa', 'lifesign', '/__lbheartbeat__', 'lifesign', 1)],
  },
  {
    name: 'live: Hono',
    contenders: [bare('hono'), live('hono', 'lifesign', '/__lbheartbeat__', 'lifesign', 1, 0.9)],
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
      live('node', 'lifesign', '/__heartbeat__', 'lifesign, timeouts on', 0.85, 0.68),
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
    perCheck: { from: 'lifesign100', to: 'lifesign300', checks: 200, budget: 0.5, limit: 1.3 },
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
      live('node', 'lifesign', '/', 'lifesign, endpoints alone', 0.97, 0.85),
      live('node', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('node', 'lifesignSummary', '/', 'lifesign with request.summary', 0.85, 0.58),
      live('node', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('node', 'lifesignAuto', '/', 'the same by lifesign/auto'),
      live('node', 'pinoHttpSummary', '/', 'pino-http'),
      live('node', 'pinoSummary', '/', 'pino, three fields by hand'),
      live('node', 'winstonSummary', '/', 'winston, three fields by hand'),
    ],
  },
  {
    // Each on top of the same route, so that the first line is the yardstick of the watchdogs.
    name: 'watchdog: node:http',
    contenders: [
      live('node', 'lifesign', '/', 'lifesign, endpoints alone'),
      live('node', 'lifesignWatchdog', '/', 'with its watchdog', 0.99, 0.9),
      live('node', 'idleThread', '/', 'with a thread that does nothing'),
      live('node', 'sentryAnr', '/', 'with @sentry/node, anrIntegration with stacks'),
      live('node', 'blockedAt', '/', 'with blocked-at'),
    ],
  },
  {
    // As above: what the option adds to the same route.
    name: 'metrics: node:http',
    contenders: [
      live('node', 'lifesign', '/', 'lifesign, endpoints alone'),
      live('node', 'lifesignMetrics', '/', 'with metrics', 0.99, 0.85),
      live('node', 'lifesignRequests', '/', 'with metrics of requests', 0.97, 0.8),
    ],
  },
  {
    name: 'metrics: Express',
    contenders: [
      live('express', 'lifesign', '/', 'lifesign, endpoints alone'),
      live('express', 'lifesignMetrics', '/', 'with metrics', 0.99, 0.85),
      live('express', 'lifesignRequests', '/', 'with metrics of requests', 0.97, 0.8),
    ],
  },
  {
    name: 'application route: Express',
    contenders: [
      bare('express'),
      live('express', 'lifesign', '/', 'lifesign, endpoints alone', 0.97, 0.85),
      live('express', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('express', 'lifesignSummary', '/', 'lifesign with request.summary', 0.8, 0.72),
      live('express', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('express', 'pinoHttpSummary', '/', 'pino-http'),
      live('express', 'morganSummary', '/', 'morgan combined'),
    ],
  },
  {
    name: 'application route: Fastify',
    contenders: [
      bare('fastify'),
      live('fastify', 'lifesign', '/', 'lifesign, endpoints alone', 0.97, 0.85),
      live('fastify', 'lifesignContext', '/', 'lifesign with requestContext'),
      live('fastify', 'lifesignSummary', '/', 'lifesign with request.summary', 0.85, 0.58),
      live('fastify', 'lifesignDefault', '/', 'lifesign with both: the default'),
      live('fastify', 'loggerSummary', '/', "Fastify's own logger"),
    ],
  },
];

const frameworkOf = ({ contenders: [{ subject }] }) => subject.split('/')[0];

/** For the regression check: what has a budget, all works of a framework in one, so that its servers start once. */
export function quickWorks() {
  return [...new Set(works.map(frameworkOf))].map((framework) => {
    const group = works.filter((work) => frameworkOf(work) === framework);
    const perCheck = group.find((work) => work.perCheck)?.perCheck;
    const counted = new Set([perCheck?.from, perCheck?.to].map((name) => `${framework}/${name}`));
    const wanted = group.flatMap(({ name, contenders }) =>
      contenders
        .filter(({ subject, budget }) => budget !== undefined || counted.has(subject))
        .map((contender) => ({ ...contender, label: `${name}: ${contender.label}` })),
    );
    return { name: framework, perCheck, contenders: [bare(framework), ...wanted] };
  });
}
