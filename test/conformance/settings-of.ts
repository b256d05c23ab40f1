import { variableOf } from '../../src/core/options/read-option.js';
import type { AnySettings } from '../../src/profiles/settings/types.js';
import { collecting, type Setup } from './host.js';

const renamed: Readonly<Record<string, string>> = {
  versionPath: 'BASE_DIR',
  details: 'DEBUG',
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
  failedStatusCode: 'HEALTH_HEARTBEAT_FAILED_STATUS_CODE',
};

/** The options of a case as settings of profile A, with details shown as every case expects. */
export function settingsOf(setup: Setup) {
  const { options, records } = collecting(setup);
  const settings: AnySettings = {
    BASE_DIR: process.cwd(),
    DEBUG: true,
    HEALTH_CHECKS: [],
    ...Object.fromEntries(
      Object.entries(options).map(([name, value]) => [renamed[name] ?? variableOf(name), value]),
    ),
  };
  return { settings, records };
}
