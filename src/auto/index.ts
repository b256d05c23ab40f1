import type { HealthConfig } from '../config/file.js';
import { isAsked, isPreloaded } from './asked.js';
import { optionsWithAddress, withAddress } from './children.js';
import { type Attach, watchListen } from './listen.js';
import { type Auto, autoOf, turnOn, type Watched } from './state.js';

export type { HealthConfig, Watched };

/**
 * Passes the application's clients to the Health that `--import lifesign/auto` creates, before its server listens or
 * later: `db`, `redis`, `migrations` and `broker` as for any Health, and `checks` by name. If the process was started
 * without `lifesign/auto` it does nothing. It never throws: a mistake is a failing check, and a line on standard error.
 *
 * @example export const pool = new Pool(); watch({ db: pool });
 */
export function watch(clients: Watched): void {
  autoOf()?.take(clients);
}

/** The part that makes the Health: CommonJS in both forms, because a server that listens does not wait for an `import()`. */
function loadAttach(auto: Auto): Attach {
  const { createRequire } = process.getBuiltinModule('node:module');
  const file = import.meta.url.startsWith('file:') ? '../cjs/auto/attach.js' : './attach.js';
  const { attachTo }: { attachTo: (auto: Auto) => Attach } = createRequire(import.meta.url)(file);
  return attachTo(auto);
}

/** Children inherit both, even if this process does nothing itself. */
function tellChildren(): void {
  const { fileURLToPath, pathToFileURL } = process.getBuiltinModule('node:url');
  const path = process.getBuiltinModule('node:path');
  const isModule = import.meta.url.startsWith('file:');
  const here = isModule ? fileURLToPath(import.meta.url) : import.meta.url;
  const dist = path.resolve(here, isModule ? '../..' : '../../..');
  const addresses = {
    url: pathToFileURL(path.resolve(dist, 'auto/index.js')).href,
    path: path.resolve(dist, 'cjs/auto/index.js'),
  };
  const { env, execArgv } = process;
  const { NODE_OPTIONS: options } = env;
  if (options !== undefined) {
    const written = optionsWithAddress(options, addresses);
    if (written !== options) env['NODE_OPTIONS'] = written;
  }
  // Passed on by child_process.fork and cluster.
  const flags = withAddress(execArgv, addresses);
  if (flags !== undefined) execArgv.splice(0, execArgv.length, ...flags);
}

if (isPreloaded(import.meta.url)) tellChildren();
const auto = isAsked(import.meta.url) ? turnOn() : undefined;
if (auto !== undefined) {
  let attach: Attach | undefined;
  watchListen(() => (attach ??= loadAttach(auto)));
}
