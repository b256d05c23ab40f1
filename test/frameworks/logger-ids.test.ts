// The lines of docs/logging.md that give a logger of requests the id of lifesign, on the real packages.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import express from 'express';
import Koa from 'koa';
// @ts-expect-error it has no types
import koaPinoLogger from 'koa-pino-logger';
import { pinoHttp } from 'pino-http';
import { test } from 'vitest';
import * as expressEntry from 'lifesign/express';
import * as koaEntry from 'lifesign/koa';
import * as nodeEntry from 'lifesign/node';
import { expectOneId, lines } from '../http/logger-ids.js';
import { collect, listening } from '../http/serving.js';

/** pino-http lets an id be anything. */
const idOf = ({ id }: IncomingMessage) => (typeof id === 'string' ? id : '');

type Make = (written: string[], options: object) => RequestListener;

const hosts: Readonly<Record<string, Make>> = {
  'pino-http on Express'(written, options) {
    const { Health, requestId } = expressEntry;
    const app = express();
    new Health(app, options);
    app.use(pinoHttp({ genReqId: () => requestId() ?? '' }, lines(written)));
    app.use(express.json());
    return app.use((req, res) => {
      req.log.info('in the handler');
      res.send(idOf(req));
    });
  },
  'koa-pino-logger on Koa'(written, options) {
    const { Health, requestId } = koaEntry;
    const app = new Koa();
    new Health(app, options);
    app.use(koaPinoLogger({ genReqId: () => requestId() ?? '' }, lines(written)));
    app.use((ctx) => {
      ctx.req.log.info('in the handler');
      ctx.body = idOf(ctx.req);
    });
    return app.callback();
  },
  'pino-http on node:http'(written, options) {
    const { Health, requestId } = nodeEntry;
    const log = pinoHttp({ genReqId: () => requestId() ?? '' }, lines(written));
    return new Health(options).listener((req, res) => {
      log(req, res);
      req.log.info('in the handler');
      res.end(idOf(req));
    });
  },
};

test.each(Object.entries(hosts))(
  '%s: one id in every line, made or given, of requests side by side',
  async (_name, make) => {
    const { logger, summaries } = collect();
    const written: string[] = [];
    await expectOneId(await listening(createServer(make(written, { logger }))), written, summaries);
  },
);
