import { createServer } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import express5 from 'express';
import express4 from 'express4';
import { Health, requestId } from 'lifesign/express';
import { collecting, endless, type Host, listen, prepare, type Setup } from '../host.js';

const host = (name: string, express: typeof express5): Host => ({
  name,
  async start(setup: Setup) {
    const { options, records } = collecting(setup);
    const app = express();
    app.set('env', 'test'); // keeps Express from printing the stack of /boom
    const health = new Health(app, options);
    prepare(health, setup);
    app.get('/', (_req, res) => void res.json({ hello: 'world' }));
    app.get('/rid', (_req, res) => void res.json({ rid: requestId() }));
    app.get('/boom', () => {
      throw new Error('boom from app');
    });
    app.get('/stream', (_req, res, next) => void pipeline(Readable.from(endless()), res, next));
    app.post('/echo', express.json(), (_req, res) => void res.status(201).json({ posted: true }));
    app.use((_req, res) => void res.status(404).json({ application: 'not found' }));
    return listen(createServer(app), health, records);
  },
});

export const expressHosts: readonly Host[] = [host('Express 4', express4), host('Express 5', express5)];
