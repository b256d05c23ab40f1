import { createServer, type RequestListener, type Server } from 'node:http';
import { freePort } from '../../../test/services/port.js';

/** A service whose build and health a test changes. */
export interface Rolled {
  readonly url: string;
  readonly port: number;
  /** When each request came, with its path and headers. */
  readonly requests: { readonly path: string; readonly at: number; readonly headers: NodeJS.Dict<unknown> }[];
  commit: string;
  version: string;
  failing: readonly string[];
  /** Answers instead, where it is set. */
  instead: RequestListener | undefined;
  close(): void;
}

/** On a port that no other test gets when it closes. */
export async function serviceOf(commit: string, known?: number): Promise<Rolled> {
  const port = known ?? (await freePort());
  const requests: Rolled['requests'] = [];
  const server: Server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', at: performance.now(), headers: request.headers });
    if (rolled.instead !== undefined) return rolled.instead(request, response);
    const failed = rolled.failing.length > 0;
    const bodies: Record<string, object> = {
      '/__version__': { commit: rolled.commit, version: rolled.version },
      '/__heartbeat__': {
        status: failed ? 'error' : 'ok',
        checks: { check_cache: 'ok', ...Object.fromEntries(rolled.failing.map((name) => [name, 'error'])) },
        details: {},
      },
      '/__lbheartbeat__': { status: 'ok' },
    };
    const body = bodies[request.url ?? ''];
    const failedHere = failed && request.url === '/__heartbeat__';
    response.writeHead(body === undefined ? 404 : failedHere ? 500 : 200, {
      'Content-Type': 'application/json',
    });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const rolled: Rolled = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    commit,
    version: '1.0.0',
    failing: [],
    instead: undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return rolled;
}
