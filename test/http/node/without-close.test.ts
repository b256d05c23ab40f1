import { IncomingMessage, ServerResponse } from 'node:http';
import http2 from 'node:http2';
import { type AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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

test.each(['GET', 'HEAD', 'POST'])(
  'a %s of an HTTP/2 session that is destroyed has its summary',
  async (method) => {
    const { logger, summaries } = collect();
    const server = http2.createServer((req) => req.stream.session?.destroy());
    new Health(server, { logger });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const client = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    client.on('error', () => {});
    client.request({ ':path': '/orders', ':method': method }).on('error', () => {});
    await until(() => summaries().length > 0);
    expect(summaries()).toHaveLength(1);
  },
);
