import { clientOptions } from '../../checks/clients.js';
import { optionUnknown } from '../../core/options/errors.js';
import { coreOptions } from '../../core/options/options.js';
import { features } from '../../core/options/features.js';
import { variableOf } from '../../core/options/read-option.js';
import type { OwnSetting } from './types.js';

/** The names that the contract has for three options. */
const contract: Readonly<Record<string, string>> = {
  versionPath: 'BASE_DIR',
  details: 'DEBUG',
  silencedChecks: 'SILENCED_SYSTEM_CHECKS',
};

/** The settings that no Health of other frameworks has. One that only the type of the settings has does not compile. */
const own: Readonly<Record<OwnSetting, true>> = {
  HEALTH_CHECKS: true,
  HEALTH_VERSION_CALLBACK: true,
  worker: true,
  socket: true,
  file: true,
  fileInterval: true,
};

export const ownSettings = [...Object.keys(own), ...clientOptions, 'logger'];

/** The name of an option in settings. */
export const settingOf = (option: string): string => contract[option] ?? option;

const options = Object.keys({ ...coreOptions, ...features });

/** The options of every Health that the settings have, by the names of options. Throws if a setting does not exist. */
export function optionsIn(settings: object): Record<string, unknown> {
  const settingNames = [...ownSettings, ...options.map(settingOf)];
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (!settingNames.includes(name)) {
      const option = options.find((each) => each === name || variableOf(each) === name);
      throw optionUnknown(name, settingNames, option && `(it is called ${settingOf(option)})`);
    }
    if (!ownSettings.includes(name)) given[options.find((each) => settingOf(each) === name) ?? name] = value;
  }
  return given;
}
