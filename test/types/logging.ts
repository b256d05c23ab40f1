// Wrong use of loggers does not compile, and the loggers that people have do; see core.ts.
import { LoggerFactory } from '@adonisjs/core/factories/logger';
import { defineConfig } from '@adonisjs/core/logger';
import type { IncomingMessage } from 'node:http';
import bunyan from 'bunyan';
import express from 'express';
import Fastify from 'fastify';
import pino from 'pino';
import winston from 'winston';
import { Health } from 'lifesign/express';
import type { HealthOptions } from 'lifesign';
import { ignoreHealthRequests } from 'lifesign/otel';
import {
  JsonLogFormatter,
  logConfig,
  type Logger,
  stdoutLogger,
  winstonConfig,
  winstonFormat,
} from 'lifesign/logging';

// What option `logger` takes
const app = express();
new Health(app, { logger: pino() });
new Health(app, { logger: pino(logConfig()).child({ module: 'health' }) });
new Health(app, { logger: winston.createLogger() });
new Health(app, { logger: Fastify().log });
new Health(app, { logger: new LoggerFactory().create() });
new Health(app, { logger: stdoutLogger({ loggerName: 'acme' }) });
new Health(app, { logger: bunyan.createLogger({ name: 'shop' }) });
// @ts-expect-error a logger that is not known is called from a log(record) of your own
new Health(app, { logger: { debug() {}, info() {}, warn() {}, error() {} } });
const shared: HealthOptions = { logger: pino() };
new Health(app, shared);
// @ts-expect-error the options of every Health say the same
const wrong: HealthOptions = { logger: 'stdout' };
void wrong;
new Health(app, {
  logger: {
    log({ logger, level, fields }) {
      const scalar: string | number | boolean | null | undefined = fields['t'];
      void [logger.length, level + 1, scalar];
    },
  },
});
// @ts-expect-error a logger has a method log, or is one of a known logger
new Health(app, { logger: { write: () => {} } });

// Options of the summary
new Health(app, {
  summary: { healthEndpoints: 0.1 },
  uid: (req) => req.headers['x-user']?.length,
});
new Health(app, {
  summary: {
    ignore: ['/metrics', '/static/*'],
    fields: (req) => ({ ip: req.socket.remoteAddress, tenant: req.headers.host ?? null, big: 1n }),
  },
});
new Health(app, { summary: { ignore: (req) => (req.url === '/' ? 0.9 : false) } });
// @ts-expect-error fields are known when the request is over
new Health(app, { summary: { fields: async () => ({ a: 1 }) } });

// Each logger takes what is made for it
pino(logConfig({ loggerName: 'acme', level: 'debug' }));
Fastify({ logger: logConfig({ loggerName: 'acme' }) });
defineConfig({ default: 'app', loggers: { app: { enabled: true, ...logConfig() } } });
winston.createLogger({ ...winstonConfig({ loggerName: 'acme' }), transports: [] });
winston.createLogger({ format: winston.format.combine(winston.format.splat(), winstonFormat()) });

// The formatter
const line: string = new JsonLogFormatter().format({
  logger: 'a',
  level: 20,
  time: 0,
  fields: { any: [1n] },
});
void line;
const own: Logger = { log: (record) => void record.fields };
void own;

// The hook of the instrumentation takes Node's request, and nothing but a path is read of it.
const ignored: boolean = ignoreHealthRequests({ url: '/__heartbeat__' });
const hook: (request: IncomingMessage) => boolean = ignoreHealthRequests;
// @ts-expect-error the request, not its path
ignoreHealthRequests('/__heartbeat__');
new Health(app, { otel: ignored });
// @ts-expect-error true or false: it has no options of its own
new Health(app, { otel: { hook } });
