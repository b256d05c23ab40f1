import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { join, resolve } from 'node:path';
import { withoutClients } from '../checks/clients.js';
import { healthsMade } from '../core/health.js';
import { isObject, isRecord } from '../core/objects.js';
import { configInvalid } from '../core/options/errors.js';
import { flag, integer, optional, text } from '../core/options/rules.js';
import { describe } from '../core/scrub/scrub.js';
import { Health } from '../frameworks/node.js';
import { drainFirst } from '../http/drain/first.js';
import { isServer } from '../http/drain/options.js';
import type { Attach } from './listen.js';
import type { Auto } from './index.js';
import { fail, type HealthConfig, logMistake, type Mistake, register, setting } from './register.js';

/** The Health of the process: none if its options are wrong. */
interface Opened {
  readonly health: Health | undefined;
  /** As the configuration sets draining; undefined if it leaves that to `HEALTH_DRAIN`. */
  readonly drains?: boolean | undefined;
}

/** Loaded by the first server that listens: one Health for all servers of the process. */
export function attachTo(auto: Auto): Attach {
  const installed = new WeakSet<Server>();
  const drainsByVariable = setting('drain', flag, false);
  // Only to report a wrong value: listen.ts has read it.
  setting('autoPort', optional(integer(1, 65_535)), undefined);
  let opened: Opened | undefined;

  return (server) => {
    // The application has created a Health of its own, for whichever server.
    if (healthsMade() > created) return false;
    opened ??= open(auto);
    const { health, drains = drainsByVariable } = opened;
    if (health === undefined || !isServer(server)) return false;
    if (!installed.has(server)) {
      installed.add(server);
      initApp(health, server);
    }
    if (drains) drainFirst(server, health);
    return true;
  };
}

function initApp(health: Health, server: Server & object): void {
  const own = Object.hasOwn(server, 'listen');
  health.initApp(server);
  // A server that listens again must not be refused for a name in the options.
  if (!own) Reflect.deleteProperty(server, 'listen');
}

/** Makes the Health of the process. Never throws. */
function open(auto: Auto): Opened {
  const mistakes: Mistake[] = [];
  const refuse = (thrown: unknown) => void mistakes.push({ name: 'configuration', thrown });
  const { checks = {}, ...options } = readConfig(auto, refuse);
  const { clients, rest } = withoutClients(options);
  // Not from its variable: attachTo reads that, and a wrong value must not prevent the Health.
  const usual = { ...versionIn(auto), drain: false };
  const health = createHealth({ ...usual, ...rest }, refuse) ?? createHealth(usual, logMistake);
  if (health === undefined) return { health };
  for (const mistake of mistakes) fail(health, mistake);
  register(health, { ...clients, checks });
  for (const watched of auto.waiting.splice(0)) register(health, watched);
  auto.take = (watched) => register(health, watched);
  return { health, drains: options.drain === undefined ? undefined : options.drain !== false };
}

function readConfig(auto: Auto, refuse: (thrown: unknown) => void): HealthConfig {
  const file = setting('config', text, '');
  try {
    return file === '' ? {} : loadConfig(file, auto.startedIn);
  } catch (thrown) {
    refuse(thrown);
    return {};
  }
}

/** How many Healths were created here: any other is the application's own. */
let created = 0;

function createHealth(
  options: Omit<HealthConfig, 'checks'>,
  refuse: (thrown: unknown) => void,
): Health | undefined {
  const before = healthsMade();
  try {
    const health = new Health(options);
    // drainFirst is called for its servers, and ends the process by the signal.
    health.onServer = undefined;
    return health;
  } catch (thrown) {
    refuse(thrown);
    return undefined;
  } finally {
    created += healthsMade() - before;
  }
}

/** The directory in which the process was started, for servers that change the working directory before they listen. */
function versionIn({ startedIn }: Auto): { readonly versionPath?: string } {
  const isNeeded = setting('versionPath', text, '') === '' && process.cwd() !== startedIn;
  return isNeeded && !hasVersion(process.cwd()) && hasVersion(startedIn) ? { versionPath: startedIn } : {};
}

function hasVersion(directory: string): boolean {
  return existsSync(join(directory, 'version.json'));
}

/** The configuration in a file. Loaded synchronously: a server that is about to listen does not wait. */
function loadConfig(file: string, directory: string): HealthConfig {
  const path = resolve(directory, file);
  let module: unknown;
  try {
    module = createRequire(path)(path);
  } catch (thrown) {
    throw configInvalid(file, loadErrorText(thrown));
  }
  // Compilers to CommonJS nest the default export once more.
  const config = unwrapDefault(unwrapDefault(module));
  if (!isRecord(config)) throw configInvalid(file, 'its default export must be an object');
  return config;
}

const unwrapDefault = (module: unknown): unknown =>
  isObject(module) && 'default' in module ? module.default : module;

function loadErrorText(thrown: unknown): string {
  const code: unknown = isObject(thrown) && 'code' in thrown ? thrown.code : undefined;
  return code === 'ERR_REQUIRE_ASYNC_MODULE'
    ? 'it, or a module that it imports, has an await outside of a function; pass what has to be awaited to watch()'
    : describe(thrown);
}
