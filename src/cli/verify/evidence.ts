import { ask, type Exchange, type Service } from '../http/exchange.js';
import { askHead } from '../http/head.js';

export const endpoints = ['version', 'heartbeat', 'lbheartbeat'] as const;
export type EndpointName = (typeof endpoints)[number];

/** Methods the endpoints must refuse. */
const refused = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What one endpoint answered to everything it was asked. */
export interface EndpointEvidence {
  /** Three times the same GET: the first is read, all three are timed. */
  readonly gets: readonly [Exchange, Exchange, Exchange];
  readonly gzip: Exchange;
  readonly head: Exchange;
  readonly options: Exchange;
  readonly refused: ReadonlyMap<string, Exchange>;
  readonly slash: Exchange;
  readonly query: Exchange;
  /** The same path with a letter more, which is the application's own. */
  readonly longer: Exchange;
}

export type Evidence = Readonly<Record<EndpointName, EndpointEvidence>>;

/** How many requests `gather` makes. */
const requestsEach = 3 + 3 + 3 + refused.length;
export const requestCount = endpoints.length * requestsEach;

export const probes = ['livez', 'readyz', 'startupz'] as const;
export type ProbeEvidence = Readonly<Record<(typeof probes)[number], EndpointEvidence>>;

/** How many requests `gatherProbes` makes. */
export const probeRequestCount = probes.length * requestsEach;

/** Asks the three probes the same. */
export async function gatherProbes(service: Service, step: (what: string) => void): Promise<ProbeEvidence> {
  return {
    livez: await gatherEndpoint(service, '/livez', step),
    readyz: await gatherEndpoint(service, '/readyz', step),
    startupz: await gatherEndpoint(service, '/startupz', step),
  };
}

/** Asks a service all that the rules want to know, one request after the other, as probes come. */
export async function gather(service: Service, step: (what: string) => void): Promise<Evidence> {
  return {
    version: await gatherEndpoint(service, '/__version__', step),
    heartbeat: await gatherEndpoint(service, '/__heartbeat__', step),
    lbheartbeat: await gatherEndpoint(service, '/__lbheartbeat__', step),
  };
}

async function gatherEndpoint(
  service: Service,
  path: string,
  step: (what: string) => void,
): Promise<EndpointEvidence> {
  const send = (method: string, target = path, headers: Readonly<Record<string, string>> = {}) => {
    step(`${method} ${target}`);
    return method === 'HEAD' ? askHead(service, target) : ask(service, method, target, headers);
  };
  const first = await send('GET');
  // Nothing can be judged without it, and a service that hangs would do so a dozen times.
  if (first.failure !== undefined) return unanswered(first);
  const gets = [first, await send('GET'), await send('GET')] as const;
  const gzip = await send('GET', path, { 'Accept-Encoding': 'gzip' });
  const head = await send('HEAD');
  const options = await send('OPTIONS');
  const answers = new Map<string, Exchange>();
  for (const method of refused) answers.set(method, await send(method));
  return {
    gets: [...gets],
    gzip,
    head,
    options,
    refused: answers,
    slash: await send('GET', `${path}/`),
    query: await send('GET', `${path}?lifesign=1`),
    longer: await send('GET', `${path}x`),
  };
}

function unanswered(failed: Exchange): EndpointEvidence {
  return {
    gets: [failed, failed, failed],
    gzip: failed,
    head: failed,
    options: failed,
    refused: new Map(),
    slash: failed,
    query: failed,
    longer: failed,
  };
}
