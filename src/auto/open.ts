import { isPromise } from '../core/guard.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { registerBuiltIns } from '../checks/built-in.js';
import { type HealthConfig, type Loaded, loadConfig } from '../config/file.js';
import { type FromVariables, fromVariables } from '../config/variables.js';
import { within } from '../core/deadlines.js';
import { healthsMade } from '../core/health.js';
import type { Check } from '../core/heartbeat/check.js';
import { requireKnownOptions } from '../core/options/read-option.js';
import { flag, text } from '../core/options/rules.js';
import { Health } from '../frameworks/node.js';
import { setting, tell } from './mistakes.js';
import type { Auto, Watched } from './state.js';

/** The Health of the process, and how to let go of the clients that were opened for it. None where its options are wrong. */
export interface Opened {
  readonly health: Health | undefined;
  readonly close: () => void;
}

/** Milliseconds that a configuration and the clients of variables may take: the service waits for them. */
const patience = 10_000;

/** Makes the Health of the process, at once unless the configuration or `HEALTH_AUTO_CHECKS` need time. Never throws. */
export function open(auto: Auto): Opened | Promise<Opened> {
  const loaded = load(auto);
  const checks = setting('autoChecks', flag, false);
  if (!isPromise(loaded) && !checks) return make(auto, loaded?.config, undefined);
  const opening = complete(auto, loaded, checks);
  return within(opening, patience, undefined).then((opened) => {
    if (opened !== undefined) return opened;
    tell(new Error(`the configuration was not ready within ${patience} ms, so the service runs without it`));
    // What comes later is let go.
    void opening.then(({ health, close }) => {
      close();
      health?.close();
    });
    return make(auto, undefined, undefined);
  });
}

async function complete(
  auto: Auto,
  loaded: Loaded | undefined | Promise<Loaded | undefined>,
  checks: boolean,
): Promise<Opened> {
  const config = (await loaded)?.config;
  const given = Object.assign({}, ...auto.waiting, config);
  const variables = checks ? await fromVariables(process.env, given, auto.startedIn, tell) : undefined;
  return make(auto, config, variables);
}

function load(auto: Auto): Loaded | undefined | Promise<Loaded | undefined> {
  try {
    const named = setting('config', text, '');
    const loaded = loadConfig(named === '' ? undefined : named, [process.cwd(), auto.startedIn]);
    return isPromise(loaded) ? loaded.then(undefined, refuse) : loaded;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function refuse(thrown: unknown): undefined {
  tell(thrown);
}

function make(auto: Auto, config: HealthConfig | undefined, variables: FromVariables | undefined): Opened {
  const { checks = {}, ...options } = config ?? {};
  const health = healthOf({ ...versionIn(auto), ...options }) ?? healthOf(versionIn(auto));
  const close = () => {
    for (const end of variables?.close ?? []) void Promise.resolve(end()).catch(() => {});
  };
  if (health === undefined) {
    close();
    return { health, close: () => {} };
  }
  register(health, { ...variables?.clients, checks: { ...variables?.checks, ...checks } });
  for (const watched of auto.waiting.splice(0)) register(health, watched);
  auto.take = (watched) => register(health, watched);
  return { health, close };
}

let made = 0;

/** How many Healths were made here: any other is the application's own. */
export function madeHere(): number {
  return made;
}

function healthOf(options: Omit<HealthConfig, 'checks'>): Health | undefined {
  const before = healthsMade();
  try {
    return new Health(options);
  } catch (thrown) {
    tell(thrown);
    return undefined;
  } finally {
    made += healthsMade() - before;
  }
}

/** Where the process was started, for servers that change the working directory before they listen. */
function versionIn({ startedIn }: Auto): { readonly versionPath?: string } {
  const isNeeded = setting('versionPath', text, '') === '' && process.cwd() !== startedIn;
  return isNeeded && !hasVersion(process.cwd()) && hasVersion(startedIn) ? { versionPath: startedIn } : {};
}

function hasVersion(directory: string): boolean {
  return existsSync(join(directory, 'version.json'));
}

/** Clients that are watched already: a module may be evaluated twice, as bundlers and development servers do. */
const known = new WeakSet<object>();

/** Registers checks; what cannot be registered is told, and the others are. */
function register(health: Health, given: Watched): void {
  attempt(() => {
    requireKnownOptions(given, ['db', 'redis', 'migrations', 'checks'], 'watch');
    const { db, redis, migrations, checks = {} } = given;
    for (const [option, client] of Object.entries({ db, redis, migrations })) {
      if (client === undefined || known.has(Object(client))) continue;
      attempt(() => registerBuiltIns(health, { [option]: client }));
      known.add(Object(client));
    }
    for (const [name, check] of Object.entries<Check>(checks)) attempt(() => health.check(name, check));
  });
}

function attempt(action: () => void): void {
  try {
    action();
  } catch (thrown) {
    tell(thrown);
  }
}
