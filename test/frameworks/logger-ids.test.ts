// The lines of docs/logging.md that give a logger of requests the id of lifesign, on the real packages.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import express from 'express';
import express4 from 'express4';
import Koa from 'koa';
// @ts-expect-error it has no types
import koaPinoLogger from 'koa-pino-logger';
import Koa2 from 'koa2';
import { pinoHttp } from 'pino-http';
import { describe, test } from 'vitest';
import * as expressEntry from 'lifesign/express';
import * as koaEntry from 'lifesign/koa';
import * as nodeEntry from 'lifesign/node';
import { expectOneId, lines } from '../http/logger-ids.js';
import { collect, listening } from '../http/serving.js';

/** pino-http lets an id be anything. */
const idOf = ({ id }: IncomingMessage) => (typeof id === 'string' ? id : '');

type Make = (stream: string[], options: object) => RequestListener;

const hosts: readonly (readonly [name: string, make: Make])[] = [
  ['pino-http, Express 5', (stream, options) => withExpress(express(), stream, options)],
  ['pino-http, Express 4', (stream, options) => withExpress(express4(), stream, options)],
  ['koa-pino-logger, Koa 3', (stream, options) => withKoa(new Koa(), stream, options)],
  ['koa-pino-logger, Koa 2', (stream, options) => withKoa(new Koa2(), stream, options)],
];

function withExpress(app: ReturnType<typeof express>, stream: string[], options: object): RequestListener {
  const { Health, requestId } = expressEntry;
  new Health(app, options);
  app.use(pinoHttp({ genReqId: () => requestId() ?? '' }, lines(stream)));
  app.use(express.json());
  app.use((req, res) => {
    req.log.info('in the handler');
    res.send(idOf(req));
  });
  return app;
}

function withKoa(app: Koa, stream: string[], options: object): RequestListener {
  const { Health, requestId } = koaEntry;
  new Health(app, options);
  app.use(koaPinoLogger({ genReqId: () => requestId() ?? '' }, lines(stream)));
  app.use((ctx) => {
    ctx.req.log.info('in the handler');
    ctx.body = idOf(ctx.req);
  });
  return app.callback();
}

describe.each(hosts)('%s', (_name, make) => {
  test('one id in every line, made or given, of requests side by side', async () => {
    const { logger, summaries } = collect();
    const written: string[] = [];
    await expectOneId(await listening(createServer(make(written, { logger }))), written, summaries);
  });
});

test('pino-http on node:http', async () => {
  const { logger, summaries } = collect();
  const written: string[] = [];
  const log = pinoHttp({ genReqId: () => nodeEntry.requestId() ?? '' }, lines(written));
  const server = createServer((req, res) => {
    log(req, res);
    req.log.info('in the handler');
    res.end(idOf(req));
  });
  new nodeEntry.Health(server, { logger });
  await expectOneId(await listening(server), written, summaries);
});
