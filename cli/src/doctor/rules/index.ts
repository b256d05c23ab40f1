import {
  initialDelay,
  livenessChecks,
  portMismatch,
  probePort,
  probesSwapped,
  probeTimeout,
} from './probes.js';
import {
  drainDelay,
  gracePeriod,
  healthcheckTool,
  signalsSwallowed,
  userRoot,
  versionFile,
} from './process.js';
import type { Rule } from './rule.js';

/** Every rule about files, in the order of the docs. */
export const rules: readonly Rule[] = [
  livenessChecks,
  probesSwapped,
  probeTimeout,
  gracePeriod,
  drainDelay,
  probePort,
  portMismatch,
  initialDelay,
  healthcheckTool,
  signalsSwallowed,
  versionFile,
  userRoot,
];
