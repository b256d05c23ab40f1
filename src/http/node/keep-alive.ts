import type { KeepingHealth, Timeouts } from '../keep-alive/advice.js';

/** Sets how long a server keeps an idle connection, if the option is set; returns a function that undoes it. */
export function keepConnections(health: KeepingHealth, server: object & Timeouts): () => void {
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
