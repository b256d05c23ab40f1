import { within } from '../core/deadlines.js';
import { clean } from '../core/scrub/scrub.js';
import type { VersionOutcome } from '../core/version/outcome.js';
import { type Emit, LabelSet } from './exposition.js';

/** Milliseconds that a scrape waits for a version callback. */
const versionTimeout = 1000;
const longestValue = 200;

/** The fields of a version object that are reported, a fixed set, as text without secrets: empty if one is missing or not a scalar. */
export function buildOf(version: Readonly<Record<string, unknown>>) {
  const textOf = (name: string): string => {
    const value = Object.hasOwn(version, name) ? version[name] : undefined;
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    return isScalar ? clean(String(value), longestValue) : '';
  };
  return {
    commit: textOf('commit'),
    version: textOf('version'),
    build: textOf('build'),
    source: textOf('source'),
  };
}

/** The version object as the labels of one series. */
export class BuildInfo {
  readonly #version: () => Promise<VersionOutcome>;
  #json: string | undefined;
  #labels = new LabelSet(buildOf({}));

  constructor(version: () => Promise<VersionOutcome>) {
    this.#version = version;
  }

  /** Reads the version object; keeps the last one if that takes too long. Never rejects. */
  async read(): Promise<void> {
    const outcome = await within(this.#version(), versionTimeout, undefined);
    if (outcome === undefined) return;
    const json = outcome.kind === 'found' ? outcome.json : undefined;
    if (json === this.#json) return;
    this.#json = json;
    this.#labels = new LabelSet(buildOf(json === undefined ? {} : JSON.parse(json)));
  }

  readonly collect = (emit: Emit): void => emit(1, this.#labels);
}
