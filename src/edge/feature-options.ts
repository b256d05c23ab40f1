// core/options/features.ts on edge workers: an option of a feature that is not there throws, whatever its value.
import type * as all from '../core/options/features.js';
import { drain } from '../core/options/drain.js';
import { watchdogUnsupported } from '../core/options/errors.js';
import { summary } from '../core/options/summary.js';
import { notOnEdge } from './errors.js';

type Absent = Exclude<keyof typeof all.features, 'drain' | 'summary'>;

/** Its options are read only if it is on. */
const absent = <Name extends Absent>(
  name: Name,
  askedBy: (typeof all.features)[Name]['askedBy'],
  error = () => notOnEdge(`Option ${name}`),
) => {
  const feature = {
    name,
    askedBy,
    example: '',
    get parts(): never {
      throw error();
    },
  };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- reading its options throws, so that nothing comes to resolve them
  return feature as unknown as (typeof all.features)[Name];
};

export const features: typeof all.features = {
  page: absent('page', []),
  summary,
  watchdog: absent('watchdog', ['port'], watchdogUnsupported),
  probes: absent('probes', ['live', 'ready', 'started']),
  metrics: absent('metrics', ['path']),
  drain,
};
