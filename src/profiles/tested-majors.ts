import { levels } from '../core/heartbeat/levels.js';
import type { LogRecord } from '../core/log.js';
import { attempt, host } from '../core/runtime.js';
import { applicationRoot, workingDirectory } from '../core/version/application-root.js';

/** The frameworks and the majors that the tests run with; a test compares them with the peer dependencies of package.json. */
const testedMajors = {
  '@adonisjs/core': { name: 'AdonisJS', majors: [6, 7] },
  '@nestjs/core': { name: 'NestJS', majors: [11, 12] },
  express: { name: 'Express', majors: [4, 5] },
  fastify: { name: 'Fastify', majors: [5] },
  hono: { name: 'Hono', majors: [4] },
  koa: { name: 'Koa', majors: [2, 3] },
} as const;

export type Peer = keyof typeof testedMajors;

/** The warning for a framework that is newer than those; `version` if it says its version itself. */
export function newerThanTested(peer: Peer, version = installedVersion(peer)): LogRecord | undefined {
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
