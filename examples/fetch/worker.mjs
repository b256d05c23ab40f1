// A greeting as a worker: an object with a fetch method, as Cloudflare, Bun and Deno expect it. It needs nothing from Node.
import { checks, Health, requestId } from 'lifesign/fetch';

let greeted = 0;

const worker = {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/boom') throw new Error('lost for words');
    greeted += 1;
    return Response.json({ hello: pathname.slice(1) || 'world', request: requestId(request) });
  },
};

const health = new Health(worker, { loggerName: 'greeter' });
health.check('voice', async () =>
  greeted < 3 ? [] : [new checks.Warning('Hoarse', { id: 'greeter.W001' })],
);
// A worker has no files: the version comes from a constant that the build sets.
health.versionCallback(() => ({ version: '4.2.0' }));

export default worker;
