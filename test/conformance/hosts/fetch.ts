import { Health, noteError, requestId } from 'lifesign/fetch';
import { collecting, endlessResponse, type Host, prepare } from '../host.js';
import { listenFetch } from './listen-fetch.js';

async function application(request: Request): Promise<Response> {
  try {
    switch (`${request.method} ${new URL(request.url).pathname}`) {
      case 'GET /':
        return Response.json({ hello: 'world' });
      case 'GET /rid':
        return Response.json({ rid: requestId() });
      case 'GET /boom':
        throw new Error('boom from app');
      case 'GET /stream':
        return endlessResponse();
      case 'POST /echo':
        if (request.headers.get('Content-Type') === 'application/json') await request.json();
        return Response.json({ posted: true }, { status: 201 });
      default:
        return Response.json({ application: 'not found' }, { status: 404 });
    }
  } catch (error) {
    noteError(request, error);
    return Response.json({ application: 'failed' }, { status: 500 });
  }
}

/** What is around a handler, such as the runtime's own function for errors. */
const handled =
  (fetch: (request: Request, beside?: unknown) => Response | Promise<Response>) =>
  async (request: Request, beside?: unknown) => {
    try {
      return await fetch(request, beside);
    } catch {
      return Response.json({ application: 'failed' }, { status: 500 });
    }
  };

export const fetchHosts: readonly Host[] = [
  {
    name: 'fetch, handler wrapped',
    async start(setup) {
      const { options, records } = collecting(setup);
      const health = new Health(undefined, options);
      prepare(health, setup);
      return listenFetch(handled(health.wrap(application)), health, records);
    },
  },
  {
    name: 'fetch, object attached',
    async start(setup) {
      const { options, records } = collecting(setup);
      const worker = {
        fetch: (request: Request, _beside?: unknown) => application(request),
      };
      const health = new Health(worker, options);
      prepare(health, setup);
      return listenFetch(
        handled((request, beside) => worker.fetch(request, beside)),
        health,
        records,
      );
    },
  },
];
