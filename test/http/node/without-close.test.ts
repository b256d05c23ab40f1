import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Health } from 'lifesign/node';
import { collect, until } from '../serving.js';

// As @codegenie/serverless-express and others do: a response of Node on something that is not a connection.
test('a response that finishes and never closes has its summary, once', async () => {
  const { logger, summaries } = collect();
  const health = new Health({ logger });
  const req = new IncomingMessage(new Socket());
  Object.defineProperty(req, 'socket', { value: { remoteAddress: '127.0.0.1', destroy() {} } });
  Object.assign(req, { method: 'GET', url: '/orders', httpVersionMajor: '1' });
  const res = new ServerResponse(req);
  health.listener((_req, answer) => void answer.writeHead(201).end('made'))(req, res);
  res.emit('finish');
  await until(() => summaries().length > 0);
  res.emit('close');
  expect(summaries().map(({ fields }) => fields['code'])).toEqual([201]);
});
