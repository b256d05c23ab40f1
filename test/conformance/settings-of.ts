import { type AnySettings, settingOf } from '../../src/profiles/settings/settings.js';
import { collecting, type Setup } from './host.js';

/** The options of a case as settings of profile A, with details shown as every case expects. */
export function settingsOf(setup: Setup) {
  const { options, records } = collecting(setup);
  const settings: AnySettings = {
    BASE_DIR: process.cwd(),
    DEBUG: true,
    HEALTH_CHECKS: [],
    ...Object.fromEntries(Object.entries(options).map(([name, value]) => [settingOf(name), value])),
  };
  return { settings, records };
}
