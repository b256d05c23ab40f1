// The warnings of a framework's Health when it starts.
import { levels } from '../core/heartbeat/messages.js';
import type { LogRecord } from '../core/log.js';
import { outsideRequest } from '../core/request/request.js';
import { attempt, host } from '../core/runtime.js';
import { applicationRoot, workingDirectory } from '../core/version.js';

/** The part of a Health that is used. */
interface Starting {
  readonly closed: boolean;
  paths(): readonly string[];
  log(record: LogRecord): void;
}

/**
 * Warns of routes of the application at paths that lifesign answers: called by frameworks that know their routes, when all are registered, which
 * may be at the first request. Returns true: it has looked.
 */
export function warnOfShadowed(health: Starting, isRoute: (path: string) => boolean): true {
  const paths = health.paths().filter(isRoute);
  if (paths.length === 0) return true;
  const msg = `lifesign answers ${paths.join(', ')} before the application: its own route there is never reached. Change that route, or the path in the options.`;
  health.log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
  return true;
}

/** Peers whose version this process has compared: one warning is enough. */
const compared = new Set<string>();

/**
 * Logs a warning if a framework is newer than the versions that lifesign is tested with. Most frameworks do not say their version:
 * it is read from their package.json, after the start, and not on runtimes without files.
 */
export function warnIfNewer(health: Starting, peer: Peer, version?: string): void {
  // Deno would ask its user for the right to read.
  if (compared.has(peer) || host.getBuiltinModule === undefined || 'Deno' in globalThis) return;
  compared.add(peer);
  const compare = () => {
    const warning = attempt(() => newerThanTested(peer, version));
    if (warning !== undefined && !health.closed) health.log(warning);
  };
  outsideRequest(() => void setImmediate(compare));
}

/** The frameworks and the majors that the tests run with; a test compares them with the peer dependencies of package.json. */
const testedMajors = {
  '@adonisjs/core': { name: 'AdonisJS', majors: [6, 7] },
  '@nestjs/core': { name: 'NestJS', majors: [11, 12] },
  express: { name: 'Express', majors: [4, 5] },
  fastify: { name: 'Fastify', majors: [5] },
  hono: { name: 'Hono', majors: [4] },
  koa: { name: 'Koa', majors: [2, 3] },
} as const;

type Peer = keyof typeof testedMajors;

/** The warning for a framework that is newer than those; `version` if it says its version itself. */
function newerThanTested(peer: Peer, version = installedVersion(peer)): LogRecord | undefined {
  const { name, majors } = testedMajors[peer];
  const [, major = ''] = /^(\d{1,6})\./.exec(version ?? '') ?? [];
  if (major === '' || Number(major) <= Math.max(...majors)) return undefined;
  const msg = `${name} ${version} is newer than the versions that lifesign is tested with (${majors.join(', ')}). It may work: test the health endpoints and the request.summary lines, and look for a newer lifesign.`;
  return { logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg };
}

/** The version of a package that the application has installed. Packages may not export their package.json, so it is read as a file. */
function installedVersion(peer: Peer): string | undefined {
  const modules = host.getBuiltinModule?.('node:module');
  const fs = host.getBuiltinModule?.('node:fs');
  const path = host.getBuiltinModule?.('node:path');
  if (modules === undefined || fs === undefined || path === undefined) return undefined;
  for (const root of new Set([applicationRoot(), workingDirectory()])) {
    const { resolve } = modules.createRequire(path.join(root, 'package.json'));
    for (const directory of resolve.paths(peer) ?? []) {
      const file = path.join(directory, peer, 'package.json');
      const manifest: unknown = attempt(() => JSON.parse(fs.readFileSync(file, 'utf8')));
      const version: unknown = Reflect.get(Object(manifest), 'version');
      if (typeof version === 'string') return version;
    }
  }
  return undefined;
}
