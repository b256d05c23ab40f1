import { dependsOn, noReadiness } from './absent.js';
import { alwaysHealthy, healthcheckForm, healthcheckTool } from './commands.js';
import { drainDelay, gracePeriod, signalsSwallowed } from './ending.js';
import { userRoot, versionFile } from './image.js';
import { heapLimit, keepAlive } from './limits.js';
import { grpcProbe, portMismatch, probePort, servicePort, watchdogProbe } from './ports.js';
import { livenessChecks, livenessRoot, probesSwapped, readinessChecks, sameTarget } from './probes.js';
import {
  execProbe,
  initialDelay,
  probeTimeout,
  restartFast,
  startInterval,
  successThreshold,
} from './times.js';
import type { Rule } from './rule.js';

/** Every rule about files, in the order of the docs. */
export const rules: readonly Rule[] = [
  livenessChecks,
  probesSwapped,
  readinessChecks,
  noReadiness,
  sameTarget,
  livenessRoot,
  restartFast,
  watchdogProbe,
  alwaysHealthy,
  healthcheckForm,
  healthcheckTool,
  probePort,
  portMismatch,
  servicePort,
  grpcProbe,
  successThreshold,
  gracePeriod,
  drainDelay,
  signalsSwallowed,
  heapLimit,
  keepAlive,
  probeTimeout,
  initialDelay,
  execProbe,
  startInterval,
  dependsOn,
  versionFile,
  userRoot,
];
