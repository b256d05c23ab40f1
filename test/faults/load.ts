import { Agent, type IncomingMessage, request } from 'node:http';
import { pause } from '../core/waiting.js';

/** What came of a load: how many requests, and each failure in words. */
export interface Load {
  readonly answered: () => number;
  readonly failures: readonly string[];
  /** Ends it when the requests under way have ended. */
  stop(): Promise<void>;
}

/** Sends a POST, which nothing on the way may repeat, and tells how it failed; undefined once it is answered with 200. */
function post(
  url: string,
  agent: Agent | false,
  patience: number,
  onAnswer: (response: IncomingMessage) => void = () => {},
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const req = request(url, { agent, method: 'POST', timeout: patience }, (res) => {
      res.resume();
      res.once('error', (error) => resolve(String(error)));
      res.once('end', () => {
        if (res.statusCode === 200) onAnswer(res);
        resolve(res.statusCode === 200 ? undefined : `status ${res.statusCode}`);
      });
    });
    req.once('error', (error) => resolve(String(error)));
    req.once('timeout', () => req.destroy(new Error(`no answer within ${patience} ms`)));
    req.end('body');
  });
}

/**
 * Sends one POST after another over `connections` keep-alive connections.
 * A client that is told that its connection closes goes on at the next origin, if there is one. `rest` milliseconds pass between two
 * requests of a connection: idle connections are what a server closes under a request, and the machine has time for other tests. A
 * request without an answer for `patience` milliseconds has failed.
 */
export function startLoad(
  origins: readonly string[],
  connections: number,
  path = '/',
  rest = 0,
  patience = 0,
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const failures: string[] = [];
  let answered = 0;
  const stop = new AbortController();

  const once = async (client: { at: number }) => {
    const failure = await post(`${origins[client.at]}${path}`, agent, patience, ({ headers }) => {
      if (headers['connection'] === 'close') client.at = Math.min(client.at + 1, origins.length - 1);
    });
    if (failure === undefined) answered += 1;
    else {
      failures.push(failure);
      // A server that refuses must not become a busy loop.
      await pause(20);
    }
  };
  const lanes = Array.from({ length: connections }, async () => {
    const client = { at: 0 };
    while (!stop.signal.aborted) {
      await once(client);
      if (rest > 0) await pause(rest);
    }
  });
  return {
    answered: () => answered,
    failures,
    async stop() {
      stop.abort();
      await Promise.all(lanes);
      agent.destroy();
    },
  };
}

/**
 * Sends a POST every `1000 / perSecond` milliseconds, each on a connection of its own, however many wait for their answers: clients that wait
 * for one before they send the next send the less the worse a service is.
 */
export function startArrivals(url: string, perSecond: number, patience: number): Load {
  const failures: string[] = [];
  let answered = 0;
  const open = new Set<Promise<void>>();
  const send = async () => {
    const failure = await post(url, false, patience);
    if (failure === undefined) answered += 1;
    else failures.push(failure);
  };
  const timer = setInterval(() => {
    const sent = send().finally(() => open.delete(sent));
    open.add(sent);
  }, 1000 / perSecond);
  return {
    answered: () => answered,
    failures,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
