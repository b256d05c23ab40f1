import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import Koa3 from 'koa';
import Koa2 from 'koa2';
import { Health, requestId } from 'lifesign/koa';
import { bodyOf, collecting, endless, type Host, listen, prepare, type Setup } from '../host.js';

const host = (name: string, Koa: typeof Koa3): Host => ({
  name,
  async start(setup: Setup) {
    const { options, records } = collecting(setup);
    const app = new Koa();
    app.silent = true; // keeps Koa from printing the stack of /boom
    const health = new Health(app, options);
    prepare(health, setup);
    app.use(async (ctx) => {
      switch (`${ctx.method} ${ctx.path}`) {
        case 'GET /':
          ctx.body = { hello: 'world' };
          return;
        case 'GET /rid':
          ctx.body = { rid: requestId() };
          return;
        case 'GET /boom':
          throw new Error('boom from app');
        case 'GET /stream':
          ctx.body = Readable.from(endless());
          return;
        case 'POST /echo':
          if (ctx.is('json')) await bodyOf(ctx.req);
          ctx.status = 201;
          ctx.body = { posted: true };
          return;
        default:
          ctx.status = 404;
          ctx.body = { application: 'not found' };
      }
    });
    return listen(createServer(app.callback()), health, records);
  },
});

export const koaHosts: readonly Host[] = [host('Koa 2', Koa2), host('Koa 3', Koa3)];
