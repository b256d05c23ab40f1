import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  answerMethod,
  answerNotFound,
  json as answerJson,
  originForm,
  text,
  withGzip,
  withoutBody,
} from '../../../src/core/endpoints.js';
import { describe } from '../../../src/core/scrub/scrub.js';
import { Health } from '../../../src/frameworks/node.js';
import { boundedServer } from '../../../src/http/bounded-server.js';
import { drainOnSignals } from '../../../src/http/drain/drain.js';
import { guarded } from '../../../src/page/content/page-answers.js';
import { Compressible, takesGzip } from '../../../src/page/content/compress.js';
import { listen } from '../http/listen.js';
import { type Io, painter } from '../../../src/command/io.js';
import { isAllowedRequest } from './hosts.js';
import { json } from './json.js';
import { pageOf, policy } from './page.js';
import type { Watch } from './watch.js';

/** Pages kept for one look, of a megabyte perhaps. */
const maxPages = 20;

/** Serves the view until a signal ends it. Prometheus is queried only while a page is open. */
export async function serve(
  watch: Watch,
  where: { readonly host: string; readonly port: number; readonly hosts: readonly string[] },
  every: number,
  io: Io,
): Promise<number> {
  const answer = answersOf(watch, every, [where.host, ...where.hosts]);
  const server = boundedServer((req, res) => {
    answer(req)
      .then((made) => send(req, res, made))
      .catch((thrown: unknown) => {
        io.stderr.write(`lifesign-cli fleet: ${describe(thrown)}\n`);
        res.destroy();
      });
  });
  // Its own three endpoints, for the probes of the container it may run in.
  const health = new Health(server, { summary: false });
  const url = await listen(server, where);
  drainOnSignals(health, { server, signals: ['SIGTERM'] });
  process.once('SIGINT', () => process.exit(0));
  const paint = painter(io, io.stderr);
  io.stderr.write(`${paint('green', 'lifesign-cli fleet')} ${url}\n`);
  await once(server, 'close');
  return 0;
}

/** The answer to a request; pages are made once for each look. `hosts` are the names it may be asked by. */
export function answersOf(
  watch: Watch,
  every: number,
  hosts: readonly string[] = [],
): (req: IncomingMessage) => Promise<Answer> {
  let pages = new Map<string, Compressible>();
  let [look, second] = [-1, -1];
  return async ({ method = '', url = '', headers }) => {
    if (!isAllowedRequest(url, headers.host, hosts)) return foreignHost;
    const { pathname, searchParams } = new URL(originForm(url), 'http://localhost');
    if (pathname !== '/' && pathname !== '/fleet.json') return answerNotFound;
    const refused = answerMethod(method);
    if (refused !== undefined) return refused;
    await watch.look(every);
    const now = Math.floor(watch.age / 1000);
    // A stale view says how old it is.
    if (look !== watch.looks || second !== now || pages.size > maxPages) pages = new Map();
    [look, second] = [watch.looks, now];
    const asked = searchParams.get('service');
    const options = {
      service: watch.fleet?.services.find(({ name }) => name === asked),
      still: searchParams.has('still'),
    };
    const key = JSON.stringify([pathname, options.service?.name, options.still]);
    const page =
      pages.get(key) ?? new Compressible(pathname === '/' ? pageOf(watch, options, every) : dataOf(watch));
    pages.set(key, page);
    const status = watch.fleet === undefined ? 503 : 200;
    const made =
      pathname === '/'
        ? html(status, page.text, options.still ? undefined : every)
        : answerJson(status, page.text);
    const accepted = headers['accept-encoding'];
    const gzip = typeof accepted === 'string' && takesGzip(accepted) ? await page.gzip() : undefined;
    const answer = withGzip(made, gzip);
    return method === 'HEAD' ? withoutBody(answer) : answer;
  };
}

/** Misdirected Request: the name is not one of this server. */
const foreignHost = answerJson(
  421,
  JSON.stringify({ error: 'this host name is not allowed; add it with --allow-host' }),
);

/** A header, not an element: it can be left out by a link, and the page stays as it is for slow readers. */
function html(status: number, page: string, every: number | undefined): Answer {
  const refresh = every === undefined ? {} : { Refresh: String(Math.max(1, Math.ceil(every / 1000))) };
  return text(status, 'text/html; charset=utf-8', page, { ...guarded(policy), ...refresh });
}

function dataOf({ fleet, address, problem, age }: Watch): string {
  return fleet === undefined ? `${JSON.stringify({ problem })}\n` : json(fleet, address, { problem, age });
}

function send(_req: IncomingMessage, res: ServerResponse, { status, headers, body, bytes }: Answer): void {
  res.writeHead(status, headers).end(bytes ?? body);
}
