import { isPromise } from '../core/guard.js';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check } from '../core/heartbeat/check.js';
import { describe } from '../core/scrub/scrub.js';
import type { HealthOptions } from '../frameworks/node.js';
import { configInvalid, fileUnusable } from './errors.js';
import { isObject, isRecord } from '../core/objects.js';

/**
 * The exports of a `health.config.mjs`: the options of a Health, and checks by name.
 *
 * @example export default { failLevel: 'error', checks: { storage: async () => [] } } satisfies HealthConfig;
 */
export interface HealthConfig extends HealthOptions {
  readonly checks?: Readonly<Record<string, Check>>;
}

/** A configuration, and where it was found. */
export interface Loaded {
  readonly file: string;
  readonly config: HealthConfig;
}

const names = ['health.config.js', 'health.config.mjs', 'health.config.cjs', 'health.config.ts'];

/**
 * The configuration file that was named, or the first that one of the directories has; undefined without one. A promise
 * only if the file cannot be loaded otherwise: it awaits something at its top level, or exports an asynchronous function.
 */
export function loadConfig(
  named: string | undefined,
  directories: readonly string[],
): Loaded | undefined | Promise<Loaded> {
  const paths = directories.flatMap((directory) =>
    (named === undefined ? names : [named]).map((name) => resolve(directory, name)),
  );
  const path = paths.find((each) => existsSync(each));
  if (path === undefined) {
    if (named === undefined) return undefined;
    throw fileUnusable(named, 'read', 'it does not exist');
  }
  const file = named ?? basename(path);
  const refuse = (thrown: unknown) => configInvalid(file, describe(thrown));
  let config: unknown;
  try {
    config = load(path);
  } catch (thrown) {
    throw refuse(thrown);
  }
  if (!isPromise(config)) return judged(file, config);
  return Promise.resolve(config).then(
    (value: unknown) => judged(file, value),
    (thrown: unknown) => Promise.reject(refuse(thrown)),
  );
}

/** Loaded synchronously if Node can: a server that is about to listen cannot wait. */
function load(path: string): unknown {
  const require = createRequire(path);
  if (/\.[cm]?ts$/.test(path) && !runsTypeScript(require)) {
    return import(pathToFileURL(path).href).then(configOf, refuseTypeScript);
  }
  let module: unknown;
  try {
    module = require(path);
  } catch (thrown) {
    if (!isImportOnly(thrown)) throw thrown;
    return import(pathToFileURL(path).href).then(configOf);
  }
  return configOf(module);
}

/** Node 22.18 and later by itself, the others with a loader that was registered before. */
function runsTypeScript(require: NodeJS.Require): boolean {
  return Boolean(Reflect.get(process.features, 'typescript')) || '.ts' in require.extensions;
}

/** Only an `import()` shows whether a loader of ES modules was registered. */
function refuseTypeScript(thrown: unknown): never {
  if (Reflect.get(Object(thrown), 'code') !== 'ERR_UNKNOWN_FILE_EXTENSION') throw thrown;
  throw new Error(
    `Node ${process.version} does not run TypeScript. Use Node 22.18 or later, a loader such as tsx, or JavaScript`,
  );
}

/** Of a module that awaits something at its top level, or that is being loaded by the module that needs the configuration. */
function isImportOnly(thrown: unknown): boolean {
  const code: unknown = Reflect.get(Object(thrown), 'code');
  return (
    code === 'ERR_REQUIRE_ASYNC_MODULE' || code === 'ERR_REQUIRE_ESM' || code === 'ERR_REQUIRE_CYCLE_MODULE'
  );
}

/** The default export of a module, or its result if it is a function. Compilers to CommonJS nest it once more. */
function configOf(module: unknown): unknown {
  let exported = module;
  for (let depth = 0; depth < 2 && isModule(exported); depth += 1) exported = exported.default;
  return typeof exported === 'function' ? exported() : exported;
}

/** An ES module, also one made by a loader, or the output of a compiler for one. */
function isModule(value: unknown): value is { readonly default: unknown } {
  if (Object.prototype.toString.call(value) === '[object Module]') return true;
  return isObject(value) && '__esModule' in value;
}

function judged(file: string, config: unknown): Loaded {
  if (!isConfig(config))
    throw configInvalid(file, 'its default export must be an object, or a function that returns one');
  return { file, config };
}

/** The options themselves are judged by the Health they are given to. */
function isConfig(value: unknown): value is HealthConfig {
  if (!isRecord(value)) return false;
  return !('checks' in value) || isObject(value['checks']);
}
