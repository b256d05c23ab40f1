import { within } from '../core/deadlines.js';
import type { VersionOutcome } from '../core/version/version.js';
import { buildOf } from './build-fields.js';
import type { Emit } from './family.js';
import { LabelSet } from './labels.js';

/** Milliseconds that a scrape waits for a version callback. */
const versionTimeout = 1000;

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

  collect(emit: Emit): void {
    emit(1, this.#labels);
  }
}
