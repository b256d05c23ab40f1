import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { listen, type RunningHost } from '../host.js';

type Fetch = (request: Request, beside?: unknown) => Response | Promise<Response>;

/** The servers of Bun and Deno, as far as they are used here. */
interface Runtimes {
  Bun?: {
    serve(options: { port: number; hostname: string; fetch: Fetch }): {
      port: number;
      stop(force: boolean): Promise<void>;
    };
  };
  Deno?: {
    serve(
      options: { port: number; hostname: string; onListen(): void },
      fetch: Fetch,
    ): { addr: { port: number }; shutdown(): Promise<void> };
  };
}

/** Serves a fetch handler on a free loopback port, with the runtime's own server. */
export async function listenFetch(
  fetch: Fetch,
  health: RunningHost['health'],
  records: RunningHost['records'],
): Promise<RunningHost> {
  const { Bun, Deno } = globalThis as Runtimes;
  const running = (port: number, close: () => Promise<void>): RunningHost => ({
    origin: `http://127.0.0.1:${port}`,
    port,
    health,
    records,
    close,
  });
  if (Bun !== undefined) {
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch });
    return { ...running(server.port, () => server.stop(true)), normalised: true };
  }
  if (Deno !== undefined) {
    const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, fetch);
    return running(server.addr.port, () => server.shutdown());
  }
  return listen(createServer(getRequestListener(fetch)), health, records);
}
