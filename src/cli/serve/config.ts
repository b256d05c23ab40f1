import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check } from '../../core/heartbeat/check.js';
import { describe } from '../../core/scrub/scrub.js';
import type { ExtensionOptions, NodeRequest } from '../../frameworks/node.js';
import { configInvalid, fileUnusable } from '../errors.js';

/** What a `health.config.mjs` exports: the options of a Health, and checks by their names. */
export interface ServeConfig extends ExtensionOptions<NodeRequest> {
  readonly checks?: Readonly<Record<string, Check>>;
}

const names = ['health.config.js', 'health.config.mjs'];

/** The configuration file that was named, or the one in the directory; undefined without one. */
export async function loadConfig(
  named: string | undefined,
  cwd: string,
): Promise<{ readonly file: string; readonly config: ServeConfig } | undefined> {
  const file = named ?? names.find((name) => existsSync(resolve(cwd, name)));
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  if (!existsSync(path)) throw fileUnusable(file, 'read', 'it does not exist');
  let config: unknown;
  try {
    const module: unknown = await import(pathToFileURL(path).href);
    const exported: unknown = Reflect.get(Object(module), 'default');
    config = typeof exported === 'function' ? await exported() : exported;
  } catch (thrown) {
    throw configInvalid(file, describe(thrown));
  }
  if (!isConfig(config))
    throw configInvalid(file, 'its default export is no object, and no function that returns one');
  const { checks = {} } = config;
  for (const [name, check] of Object.entries(checks)) {
    if (typeof check !== 'function') throw configInvalid(file, `checks.${name} is no function`);
  }
  return { file, config };
}

/** The options themselves are judged by the Health they are given to. */
function isConfig(value: unknown): value is ServeConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !('checks' in value) || (typeof value.checks === 'object' && value.checks !== null);
}
