import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Check } from '../core/heartbeat/check.js';
import { isObject, isRecord } from '../core/objects.js';
import { describe } from '../core/scrub/scrub.js';
import type { HealthOptions } from '../frameworks/node.js';
import { configInvalid } from './errors.js';

/**
 * The default export of the file that `HEALTH_CONFIG` names: the options of a Health, and checks by name.
 *
 * @example export default { failLevel: 'error', checks: { storage: async () => [] } } satisfies HealthConfig;
 */
export interface HealthConfig extends HealthOptions {
  readonly checks?: Readonly<Record<string, Check>>;
}

/** The configuration in a file. Loaded synchronously: a server that is about to listen does not wait. */
export function loadConfig(file: string, directory: string): HealthConfig {
  const path = resolve(directory, file);
  let module: unknown;
  try {
    module = createRequire(path)(path);
  } catch (thrown) {
    throw configInvalid(file, causeOf(thrown));
  }
  const config = defaultOf(module);
  if (!isConfig(config)) throw configInvalid(file, 'its default export must be an object');
  return config;
}

function causeOf(thrown: unknown): string {
  const code: unknown = isObject(thrown) && 'code' in thrown ? thrown.code : undefined;
  return code === 'ERR_REQUIRE_ASYNC_MODULE'
    ? 'it, or a module that it imports, has an await outside of a function; pass what has to be awaited to watch()'
    : describe(thrown);
}

/** The default export of a module. Compilers to CommonJS nest it once more. */
function defaultOf(module: unknown): unknown {
  let exported = module;
  for (let depth = 0; depth < 2 && isModule(exported); depth += 1) exported = exported.default;
  return exported;
}

function isModule(value: unknown): value is { readonly default: unknown } {
  if (Object.prototype.toString.call(value) === '[object Module]') return true;
  return isObject(value) && '__esModule' in value;
}

/** The options themselves are judged by the Health they are given to. */
function isConfig(value: unknown): value is HealthConfig {
  return isRecord(value) && (!('checks' in value) || isObject(value['checks']));
}
