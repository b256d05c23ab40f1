import { levels } from '../../core/heartbeat/levels.js';
import type { LogRecord } from '../../core/log.js';
import { shared } from '../../core/shared.js';

/** The part of a Health that is used. */
export interface KeepingHealth {
  readonly options: { readonly keepAlive: number | undefined };
  readonly closed: boolean;
  onClose(close: () => void): () => void;
  log(record: LogRecord): void;
}

/** The timeouts of a server of HTTP/1; one that speaks only HTTP/2 has none of them. */
export interface Timeouts {
  keepAliveTimeout?: number;
  headersTimeout?: number;
  readonly requestTimeout?: number;
}

/** The idle timeout of AWS' load balancers and of nginx; most others keep connections for longer. */
const usualIdle = 60_000;

/** Whether this process has logged it. */
const state = /* @__PURE__ */ shared('keep-alive advice', () => ({ given: false }));

export const isAdvised = (): boolean => state.given;

/** Logs once per process that a server closes idle connections before a load balancer does. */
export function advise(health: KeepingHealth, { keepAliveTimeout: idle = 0 }: Timeouts): void {
  // 0 means that Node never closes them.
  if (state.given || health.options.keepAlive !== undefined || idle === 0 || idle > usualIdle) return;
  state.given = true;
  const msg = `The server closes an idle connection after ${idle / 1000} s, and load balancers use it for ${usualIdle / 1000} s or longer: a request that meets a closed one fails with 502. If one is in front of this service, set keepAlive above its idle timeout, such as '65s' (HEALTH_KEEP_ALIVE=65s).`;
  health.log({ logger: 'health', level: levels.info, time: Date.now(), fields: {}, msg });
}
