import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What was measured of this package by measure.ts. Seconds and bytes. */
export interface Constants {
  /** Where: versions and processors. */
  readonly on: string;
  readonly database: {
    /** Processor time of PostgreSQL for one run of check_database_connected, and for a new connection. */
    readonly query: number;
    readonly connect: number;
    /** How long a run takes. */
    readonly took: number;
  };
  /** Processor time of Redis for one run of check_redis_connected. */
  readonly redis: { readonly ping: number };
  /** Processor time of the instance for one heartbeat with both checks. */
  readonly heartbeat: number;
  readonly scrape: {
    readonly series: PerInstance;
    readonly bytes: PerInstance;
    /** On the disk of Prometheus, in a compacted block. */
    readonly bytesPerSample: number;
  };
}

/** What an instance has, and what each of its checks adds. */
interface PerInstance {
  readonly base: number;
  readonly perCheck: number;
}

export const constantsFile: string = join(import.meta.dirname, 'constants.json');

export function readConstants(): Constants {
  return JSON.parse(readFileSync(constantsFile, 'utf8'));
}
