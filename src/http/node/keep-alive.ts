import { levels } from '../../core/heartbeat/messages.js';
import { environment, shared } from '../../core/runtime.js';
import type { HealthOnNode } from './exchange.js';

/** The timeouts of a server of HTTP/1; one that speaks only HTTP/2 has none of them. */
interface Timeouts {
  keepAliveTimeout?: number;
  headersTimeout?: number;
  readonly requestTimeout?: number;
}

/** Sets how long a server keeps an idle connection, if the option is set; returns a function that undoes it. */
export function keepConnections(health: HealthOnNode, server: object & Timeouts): () => void {
  const { keepAliveTimeout: idleBefore, headersTimeout: headersBefore = 0, requestTimeout = 0 } = server;
  const { keepAlive: idle } = health.options;
  if (idleBefore === undefined || idle === undefined) return noop;
  // A new connection that is idle counts as one whose headers are late; 0 means no limit. Node swaps it with requestTimeout if it is longer.
  const needed = Math.min(idle + 1000, requestTimeout || Infinity);
  const headers = headersBefore === 0 ? 0 : Math.max(headersBefore, needed);
  server.keepAliveTimeout = idle;
  server.headersTimeout = headers;
  return () => {
    // A value that the application has set since stays.
    if (server.keepAliveTimeout === idle) server.keepAliveTimeout = idleBefore;
    if (server.headersTimeout === headers) server.headersTimeout = headersBefore;
  };
}

const noop = () => {};

/** Applications set their timeouts after they have started to listen. */
const settled = 1000;
/** The idle timeout of AWS' load balancers and of nginx; most others keep connections for longer. */
const usualIdle = 60_000;
/** Set by Jest, Vitest, Node, Mocha, AVA, tap and Playwright in the processes that run tests. */
const testRunner =
  /^(?:JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|MOCHA_WORKER_ID|AVA_PATH|TAP|PLAYWRIGHT_TEST)$/;

/** Whether this process has logged it. */
const advice = /* @__PURE__ */ shared('keep-alive advice', () => ({ given: false }));

/** Logs once per process, in production, that a server closes idle connections before a load balancer does. */
export function adviseKeepAlive(health: HealthOnNode, server: object & Timeouts): void {
  const variables = environment();
  if (variables['NODE_ENV'] !== 'production' || advice.given || health.options.keepAlive !== undefined)
    return;
  if (Object.keys(variables).some((name) => testRunner.test(name))) return;
  const timer = setTimeout(() => {
    forget();
    const { keepAliveTimeout: idle = 0 } = server;
    // 0 means that Node never closes them.
    if (advice.given || idle === 0 || idle > usualIdle) return;
    advice.given = true;
    const msg = `The server closes an idle connection after ${idle / 1000} s, and load balancers use it for ${usualIdle / 1000} s or longer: a request that meets a closed one fails with 502. If one is in front of this service, set keepAlive above its idle timeout, such as '65s' (HEALTH_KEEP_ALIVE=65s).`;
    health.log({ logger: 'health', level: levels.info, time: Date.now(), fields: {}, msg });
  }, settled).unref();
  const forget = health.onClose(() => clearTimeout(timer));
}
