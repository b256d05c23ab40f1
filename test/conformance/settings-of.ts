import type { NestSettings } from 'lifesign/nestjs';
import { collecting, type Setup } from './host.js';

/** The names that the contract has for three options. */
const contract: Readonly<Record<string, string>> = {
  versionPath: 'BASE_DIR',
  details: 'DEBUG',
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
};

/** The options of a case as settings of profile A, with details shown as every case expects. */
export function settingsOf(setup: Setup) {
  const { options, records } = collecting(setup);
  const settings: NestSettings = {
    BASE_DIR: process.cwd(),
    DEBUG: true,
    HEALTH_CHECKS: [],
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [contract[name] ?? name, value])),
  };
  return { settings, records };
}
