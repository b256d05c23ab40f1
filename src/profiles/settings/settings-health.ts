import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ClientOption } from '../../checks/clients.js';
import { shown } from '../../core/options/errors.js';
import { isError } from '../../core/objects.js';
import { baseDirInvalid, importPathInvalid } from './errors.js';
import { engineOf, HealthCore } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { flag, flagOrFunction, idList, type Rule, text } from '../../core/options/rules.js';
import type { CoreOptions } from '../../core/options/options.js';
import { readOption, requireValue } from '../../core/options/read-option.js';
import { resolveOptions } from '../../core/options/resolve-options.js';
import type { VersionCallback } from '../../core/version/version.js';
import { startWatchdog } from '../../watchdog/index.js';
import { openFeatures } from '../features.js';
import { loggerOf } from '../../logging/adopt.js';
import {
  clientsLeftOut,
  defaultChecks,
  isPlain,
  registerSettingsCheck,
  type SettingsHost,
} from './checks.js';
import { importPath } from './import-path.js';
import { type AnySettings, optionsIn, ownSettings, settingOf } from './settings.js';

/** Settings-style: created from settings. The constructor checks them, `load` resolves their import paths. */
export class SettingsHealth<Request = unknown, FrameworkRequest = Request> extends HealthCore<
  Request,
  FrameworkRequest
> {
  readonly #settings: AnySettings;

  constructor(settings: AnySettings) {
    const versionPath = requireBaseDir(settings.BASE_DIR);
    const logger = loggerOf(settings.logger);
    const given = { also: ownSettings, nameOf: settingOf, drains: true };
    super(
      resolveOptions(
        optionsOf<Request, FrameworkRequest>(settings, versionPath),
        { versionPath, logger },
        given,
      ),
      openFeatures,
    );
    this.#settings = settings;
  }

  /** Starts the watchdog if the settings ask for one. For applications that serve requests. */
  watch(): void {
    startWatchdog(this);
  }

  /** Registers the version callback and the checks; rejects if an import path cannot be used. */
  async load(host: SettingsHost): Promise<void> {
    const { HEALTH_VERSION_CALLBACK: callback, HEALTH_CHECKS: checks } = this.#settings;
    const baseDir = this.options.versionPath;
    const version = readOption(
      callback,
      'versionCallback',
      callbackRule,
      undefined,
      'HEALTH_VERSION_CALLBACK',
    );
    if (typeof version === 'function') this.versionCallback(version);
    else if (version !== undefined) this.versionCallback(await importCallback(version, baseDir));

    const listed = readOption(checks, 'checks', checksRule, undefined, 'HEALTH_CHECKS');
    const asked = new Set<ClientOption>();
    for (const entry of Array.isArray(listed) ? listed : [listed ?? defaultChecks(this.#settings)].flat()) {
      for (const option of await registerSettingsCheck(this, entry, baseDir, host)) asked.add(option);
    }
    for (const msg of clientsLeftOut(this.#settings, asked)) {
      engineOf(this).log({ logger: 'health', level: levels.warning, time: Date.now(), fields: {}, msg });
    }
  }
}

/** The setting `BASE_DIR` as a path; throws if it is not an existing directory. */
function requireBaseDir(given: unknown): string {
  if (given === undefined || given === null || given === '') throw baseDirInvalid('not defined');
  const path = pathOf(given);
  try {
    if (statSync(path).isDirectory()) return path;
  } catch (thrown) {
    const missing = isError(thrown) && 'code' in thrown && thrown.code === 'ENOENT';
    throw baseDirInvalid(`${shown(path)}, which ${missing ? 'does not exist' : 'cannot be read'}`);
  }
  throw baseDirInvalid(`${shown(path)}, which is not a directory`);
}

function pathOf(given: unknown): string {
  if (typeof given === 'string' && !/^file:/i.test(given)) return given;
  if (typeof given !== 'string' && !(given instanceof URL))
    throw baseDirInvalid(`${shown(given)}, which is not a path`);
  try {
    return fileURLToPath(given);
  } catch {
    throw baseDirInvalid(`${shown(given)}, which is not a local file: URL`);
  }
}

const callbackRule: Rule<string | VersionCallback | undefined> = {
  ...text,
  expects: 'a function or its import path',
  accepts: (value): value is string | VersionCallback => typeof value === 'function' || text.accepts(value),
};

const checksRule: Rule<readonly unknown[] | object | undefined> = {
  ...idList,
  expects: 'a list of functions or import paths, or an object that maps names to them',
  accepts: (value) => Array.isArray(value) || isPlain(value),
};

async function importCallback(path: string, baseDir: string): Promise<VersionCallback> {
  const { value } = await importPath('HEALTH_VERSION_CALLBACK', path, baseDir);
  if (callbackRule.accepts(value) && typeof value === 'function') return value;
  throw importPathInvalid('HEALTH_VERSION_CALLBACK', path, `it is ${shown(value)}, not a function`);
}

/** The settings as options. */
function optionsOf<Request, FrameworkRequest>(
  settings: AnySettings,
  versionPath: string,
): CoreOptions<Request, FrameworkRequest> {
  const { DEBUG: debug }: { DEBUG?: unknown } = settings;
  // Never from the environment: a variable must not reveal what the settings hide. A configuration service has it as a text.
  const given = typeof debug === 'string' ? flag.fromText?.(debug) : debug;
  const details = requireValue(
    given === '' || given === undefined ? false : given,
    flagOrFunction,
    'DEBUG',
    'Fix it, or omit it to use the default (false).',
  );
  const named = { ...optionsIn(settings), versionPath, details };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- resolveOptions reads each of them by its rule, and refuses names that it does not know
  return named as CoreOptions<Request, FrameworkRequest>;
}
