import { environment } from '../runtime.js';
import { slips } from './nearest.js';

const prefix = 'HEALTH_';

/** Names beside the one that follows from the option's, of variables and of settings alike. */
export const variableAliases: Readonly<Record<string, string>> = {
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
  failedStatusCode: 'HEALTH_HEARTBEAT_FAILED_STATUS_CODE',
  healthPort: 'HEALTH_PORT',
  healthPortOnly: 'HEALTH_PORT_ONLY',
};

/** Variables that other parts of lifesign read: draining, settings-style frameworks, `lifesign-cli serve`, `lifesign/auto`, the probes, the watchdog, the metrics, `/__error__`, workers. */
const others = [
  'AUTO',
  'AUTO_CHECKS',
  'AUTO_PORT',
  'AUTO_STRICT',
  'CHECKS',
  'CONFIG',
  'DRAIN',
  'DRAIN_DELAY',
  'DRAIN_TIMEOUT',
  'ERROR_ENDPOINT_TOKEN',
  'FAIL_LBHEARTBEAT',
  'FILE',
  'FILE_INTERVAL',
  'HTTP_CHECKS',
  'LOG_FORMAT',
  'LOG_TO',
  'METRICS_PATH',
  'METRICS_REFRESH',
  'METRICS_REQUESTS',
  'PROBES_FAIL_AFTER',
  'PROBES_LIVE',
  'PROBES_PASS_AFTER',
  'PROBES_PROBE_EVERY',
  'PROBES_READY',
  'PROBES_RESTART_AFTER',
  'PROBES_SECOND_OPINION_EVERY',
  'PROBES_STARTED',
  'PROBES_START_WHEN',
  'SHUTDOWN_TIMEOUT',
  'SOCKET',
  'VERSION_CALLBACK',
  'WATCHDOG_BUSY_AFTER',
  'WATCHDOG_PORT',
  'WATCHDOG_STUCK_AFTER',
  'WATCHDOG_TERMINATION_LOG',
  'WORKER',
];

/**
 * What to say of variables whose names are close to one that is read: a slip of two letters, or the same words with others among them.
 * Those that are not close are somebody else's.
 */
export function misspeltVariables(known: readonly string[]): readonly string[] {
  const names = [...known, ...Object.values(variableAliases), ...others.map((name) => `${prefix}${name}`)];
  return Object.keys(environment())
    .filter((variable) => variable.startsWith(prefix) && !names.includes(variable))
    .flatMap((variable) => {
      const meant = names.find((name) => isClose(variable, name));
      return meant === undefined ? [] : [`${variable} is set, but nothing reads it. Did you mean ${meant}?`];
    });
}

function isClose(given: string, known: string): boolean {
  const words = wordsOf(known);
  const givenWords = new Set(wordsOf(given));
  return (words.length > 1 && words.every((word) => givenWords.has(word))) || slips(given, known) <= 2;
}

const wordsOf = (variable: string) => variable.slice(prefix.length).split('_');
