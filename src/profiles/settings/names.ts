import { optionInvalid, optionUnknown } from '../../core/options/errors.js';
import { variableAliases, variableOf } from '../../core/options/read-option.js';
import { clientSettings } from './client-settings.js';
import { partSettings } from './parts.js';
import type { OtherSetting } from './types.js';

/** The settings that are not options of the core. One that only the type of the settings has does not compile. */
const own: Readonly<Record<OtherSetting, boolean>> = {
  HEALTH_VERSION_CALLBACK: true,
  HEALTH_CHECKS: true,
  ...Object.fromEntries(clientSettings.map((name) => [name, true])),
  HEALTH_LOGGER: true,
  HEALTH_WORKER: true,
  HEALTH_SOCKET: true,
  HEALTH_FILE: true,
  HEALTH_FILE_INTERVAL: true,
};

export const ownSettings = (): readonly string[] => [...Object.keys(own), ...partSettings()];

/** The settings of the contract, by their options. They have no variable and no other name. */
const contract: Readonly<Record<string, string>> = { versionPath: 'BASE_DIR', details: 'DEBUG' };

/** The setting of an option: `timeout` is `HEALTH_TIMEOUT`. */
function settingOf(option: string): string {
  return contract[option] ?? variableOf(option);
}

/** The settings by the names of their options, and each option by the name that it was given under. */
export function byOption(settings: object): {
  readonly options: Readonly<Record<string, unknown>>;
  readonly nameOf: (option: string) => string;
} {
  const options: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const others = ownSettings();
  for (const [setting, value] of Object.entries(settings)) {
    if (value === undefined || others.includes(setting)) continue;
    const option = optionOf(setting);
    const other = names.get(option);
    if (other !== undefined)
      throw optionInvalid(
        setting,
        value,
        `omitted when ${other} is set`,
        'They are two names for one setting.',
      );
    names.set(option, setting);
    options[option] = value;
  }
  return { options, nameOf: (option) => names.get(option) ?? settingOf(option) };
}

function optionOf(setting: string): string {
  for (const [option, name] of Object.entries({ ...contract, ...variableAliases })) {
    if (name === setting) return option;
  }
  const option = camelCase(setting);
  // Whether there is such an option is for those to say who know all of them.
  if (variableOf(option) === setting && !(option in contract)) return option;
  const known = [...Object.values(contract), ...ownSettings(), 'HEALTH_… for every other option'];
  const meant = contract[option];
  throw optionUnknown(setting, known, meant && `(it is called ${meant})`);
}

/** `HEALTH_FAIL_LEVEL` is the option `failLevel`. */
function camelCase(setting: string): string {
  return setting
    .replace(/^HEALTH_/, '')
    .toLowerCase()
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
