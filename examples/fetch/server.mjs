// Runs worker.mjs on Bun, Deno or Node.
import { listenOptions } from 'lifesign/fetch';
import worker from './worker.mjs';

const { host, port } = listenOptions();
const fetch = (request) => worker.fetch(request);

if (globalThis.Bun) Bun.serve({ hostname: host, port, fetch });
else if (globalThis.Deno) Deno.serve({ hostname: host, port }, fetch);
else {
  // Node has no built-in server for fetch handlers.
  const { serve } = await import('@hono/node-server');
  serve({ hostname: host, port, fetch });
}
