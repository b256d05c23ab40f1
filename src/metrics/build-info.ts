import { within } from '../core/deadlines.js';
import type { VersionOutcome } from '../core/version/version.js';
import { clean } from '../core/scrub/scrub.js';
import type { Emit } from './family.js';
import { LabelSet } from './labels.js';

/** Fields of the version object that become labels: a fixed set, whatever else is in it. */
const fields = ['commit', 'version', 'build', 'source'] as const;
const longestValue = 200;
/** Milliseconds that a scrape waits for a version callback. */
const versionTimeout = 1000;

/** The version object as the labels of one series. */
export class BuildInfo {
  readonly #version: () => Promise<VersionOutcome>;
  #json: string | undefined;
  #labels = labelsOf({});

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
    this.#labels = labelsOf(json === undefined ? {} : JSON.parse(json));
  }

  collect(emit: Emit): void {
    emit(1, this.#labels);
  }
}

function labelsOf(version: Readonly<Record<string, unknown>>): LabelSet {
  return new LabelSet(Object.fromEntries(fields.map((name) => [name, labelOf(version, name)])));
}

/** Scalars as text; of anything else nothing. */
function labelOf(version: Readonly<Record<string, unknown>>, name: string): string {
  const value = Object.hasOwn(version, name) ? version[name] : undefined;
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? clean(String(value), longestValue) : '';
}
