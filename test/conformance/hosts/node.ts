import { createServer } from 'node:http';
import http2 from 'node:http2';
import { pipeline } from 'node:stream/promises';
import { Health, noteError, type NodeRequest, type NodeResponse, requestId } from 'lifesign/node';
import { bodyOf, collecting, endless, type Host, listen, prepare, type RunningHost } from '../host.js';
import { http1Before } from './http1-before.js';

export async function application(
  req: NodeRequest,
  res: NodeResponse & NodeJS.WritableStream,
): Promise<void> {
  const answer = (status: number, body: unknown) => {
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(body));
  };
  try {
    switch (`${req.method} ${req.url?.split('?')[0]}`) {
      case 'GET /':
        return answer(200, { hello: 'world' });
      case 'GET /rid':
        return answer(200, { rid: requestId() });
      case 'GET /boom':
        throw new Error('boom from app');
      case 'GET /stream':
        return await pipeline(endless, res);
      case 'POST /echo':
        if (req.headers['content-type'] === 'application/json') JSON.parse(await bodyOf(req));
        return answer(201, { posted: true });
      default:
        return answer(404, { application: 'not found' });
    }
  } catch (error) {
    noteError(req, error);
    if (!res.headersSent) answer(500, { application: 'failed' });
  }
}

const host = (
  name: string,
  start: (health: Health, records: RunningHost['records']) => Promise<RunningHost>,
): Host => ({
  name,
  async start(setup) {
    const { options, records } = collecting(setup);
    const health = new Health(undefined, options);
    prepare(health, setup);
    return start(health, records);
  },
});

export const nodeHosts: readonly Host[] = [
  host('node:http, listener wrapped', (health, records) =>
    listen(createServer(health.listener(application)), health, records),
  ),
  host('node:http, server attached', (health, records) => {
    const server = createServer();
    health.initApp(server);
    server.on('request', application);
    return listen(server, health, records);
  }),
  host('node:http2', async (health, records) => {
    const server = http2.createServer(application);
    health.initApp(server);
    return http1Before(server, health, records);
  }),
];
