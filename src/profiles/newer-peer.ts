import type { LogRecord } from '../core/log.js';
import { outsideRequest } from '../core/request/request.js';
import { host } from '../core/runtime.js';
import { shared } from '../core/shared.js';
import type { Peer } from './tested-majors.js';

/** The part of an engine that is used. */
interface Logging {
  readonly closed: boolean;
  log(record: LogRecord): void;
}

/** Peers whose version this process has compared: one warning is enough. */
const compared = /* @__PURE__ */ shared('compared peers', () => new Set<string>());

/**
 * Logs a warning if a framework is newer than the versions that lifesign is tested with. Most frameworks do not say their version:
 * it is read from their package.json, after the start, and not on runtimes without files.
 */
export function warnIfNewer(engine: Logging, peer: Peer, version?: string): void {
  // Deno would ask its user for the right to read.
  if (compared.has(peer) || host.getBuiltinModule === undefined || 'Deno' in globalThis) return;
  compared.add(peer);
  outsideRequest(() => {
    import('./tested-majors.js')
      .then(({ newerThanTested }) => {
        const warning = newerThanTested(peer, version);
        if (warning !== undefined && !engine.closed) engine.log(warning);
      })
      .catch(() => {});
  });
}
