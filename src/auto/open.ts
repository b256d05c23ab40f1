import { isPromise } from '../core/guard.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { withoutClients } from '../checks/clients.js';
import { type HealthConfig, type Loaded, loadConfig } from '../config/file.js';
import type { FromVariables } from '../config/variables.js';
import { within } from '../core/deadlines.js';
import { engineOf, healthsMade } from '../core/health.js';
import { flag, text } from '../core/options/rules.js';
import { Health } from '../frameworks/node.js';
import { setting, logMistake } from './mistakes.js';
import { fail, type Mistake, register } from './register.js';
import type { Auto } from './state.js';

/** The Health of the process, and how to close the clients that were opened for it. None if its options are wrong. */
export interface Opened {
  readonly health: Health | undefined;
  /** The drain options of the configuration; undefined if it leaves draining to `HEALTH_DRAIN`. */
  readonly drains?: boolean | undefined;
  readonly close: () => void;
}

/** Milliseconds that a configuration and the clients of variables may take: the service waits for them. */
const configTimeout = 10_000;

/** Makes the Health of the process, at once unless the configuration or `HEALTH_AUTO_CHECKS` need time. Never throws. */
export function open(auto: Auto): Opened | Promise<Opened> {
  const mistakes: Mistake[] = [];
  const loaded = load(auto, mistakes);
  const checks = setting('autoChecks', flag, false, (thrown) =>
    mistakes.push({ name: 'HEALTH_AUTO_CHECKS', thrown }),
  );
  if (!isPromise(loaded) && !checks) return make(auto, loaded?.config, undefined, mistakes);
  const opening = complete(auto, loaded, checks, mistakes).catch((thrown: unknown): Ready => {
    mistakes.push({ name: configuration, thrown });
    return { config: undefined, variables: undefined };
  });
  return within(opening, configTimeout, undefined).then((ready) => {
    if (ready !== undefined) return make(auto, ready.config, ready.variables, mistakes);
    const thrown = new Error(
      `the configuration was not ready within ${configTimeout} ms, so the service runs without it`,
    );
    // Checks that arrive later are dropped.
    void opening.then(({ variables }) => closeAll(variables));
    return make(auto, undefined, undefined, [...mistakes, { name: configuration, thrown }]);
  });
}

/** The name of the check that fails if the configuration cannot be used. */
const configuration = 'configuration';

interface Ready {
  readonly config: HealthConfig | undefined;
  readonly variables: FromVariables | undefined;
}

async function complete(
  auto: Auto,
  loaded: Loaded | undefined | Promise<Loaded | undefined>,
  checks: boolean,
  mistakes: Mistake[],
): Promise<Ready> {
  const config = (await loaded)?.config;
  if (!checks) return { config, variables: undefined };
  const given = Object.assign({}, ...auto.waiting, config);
  const refuse = (thrown: unknown, name: string) => void mistakes.push({ name, thrown });
  const { fromVariables } = await import('../config/variables.js');
  return { config, variables: await fromVariables(process.env, given, auto.startedIn, refuse) };
}

function load(auto: Auto, mistakes: Mistake[]): Loaded | undefined | Promise<Loaded | undefined> {
  const refuse = (thrown: unknown): undefined => void mistakes.push({ name: configuration, thrown });
  try {
    const named = setting('config', text, '');
    const loaded = loadConfig(named === '' ? undefined : named, [process.cwd(), auto.startedIn]);
    return isPromise(loaded) ? loaded.then(undefined, refuse) : loaded;
  } catch (thrown) {
    return refuse(thrown);
  }
}

function make(
  auto: Auto,
  config: HealthConfig | undefined,
  variables: FromVariables | undefined,
  mistakes: readonly Mistake[],
): Opened {
  const { checks = {}, ...options } = config ?? {};
  const { clients, rest } = withoutClients(options);
  const refused: Mistake[] = [];
  const wrong = (thrown: unknown) => void refused.push({ name: configuration, thrown });
  // Not from its variable: attach.ts reads that, and a wrong one must not cost the Health.
  const usual = { ...versionIn(auto), drain: false };
  const health = healthOf({ ...usual, ...rest }, wrong) ?? healthOf(usual, logMistake);
  const close = () => closeAll(variables);
  if (health === undefined) {
    close();
    return { health, close: () => {} };
  }
  for (const mistake of [...mistakes, ...refused]) fail(health, mistake);
  register(health, { ...variables?.clients, ...clients, checks: { ...variables?.checks, ...checks } });
  for (const watched of auto.waiting.splice(0)) register(health, watched);
  auto.take = (watched) => register(health, watched);
  const drains = options.drain === undefined ? undefined : options.drain !== false;
  return { health, close, drains };
}

function closeAll(variables: FromVariables | undefined): void {
  for (const end of variables?.close ?? []) {
    void Promise.resolve()
      .then(end)
      .catch(() => {});
  }
}

let made = 0;

/** How many Healths were made here: any other is the application's own. */
export function madeHere(): number {
  return made;
}

function healthOf(
  options: Omit<HealthConfig, 'checks'>,
  refuse: (thrown: unknown) => void,
): Health | undefined {
  const before = healthsMade();
  try {
    const health = new Health(options);
    // drainFirst is called for its servers, and ends the process by the signal.
    engineOf(health).onServer = undefined;
    return health;
  } catch (thrown) {
    refuse(thrown);
    return undefined;
  } finally {
    made += healthsMade() - before;
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
