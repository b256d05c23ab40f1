// What a Prometheus has to take in and to keep.
import type { Constants } from './constants.js';

export interface Scraped {
  readonly instances: number;
  readonly checks: number;
  /** Seconds. */
  readonly scrapeEvery: number;
}

export interface Kept {
  readonly series: number;
  readonly samplesPerSecond: number;
  /** Bytes that the scrapes send in a second, and that a day takes on the disk. */
  readonly bytesPerSecond: number;
  readonly bytesPerDay: number;
}

const day = 86_400;

export function keptOf({ instances, checks, scrapeEvery }: Scraped, constants: Constants): Kept {
  const { series, bytes, bytesPerSample } = constants.scrape;
  const many = instances * (series.base + checks * series.perCheck);
  const samplesPerSecond = many / scrapeEvery;
  return {
    series: many,
    samplesPerSecond,
    bytesPerSecond: (instances * (bytes.base + checks * bytes.perCheck)) / scrapeEvery,
    bytesPerDay: samplesPerSecond * day * bytesPerSample,
  };
}
