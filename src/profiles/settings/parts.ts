import { type FeatureOption, partOption } from '../../core/options/feature-options.js';
import { features } from '../../core/options/features.js';
import { variableOf } from '../../core/options/read-option.js';
import { isObject } from '../../core/objects.js';

/** Names of the options of a feature, each with its setting: `port` of `watchdog` is also `HEALTH_WATCHDOG_PORT`. */
function settingsOf(feature: FeatureOption): readonly (readonly [part: string, setting: string])[] {
  return Object.keys(feature.parts)
    .filter((part) => feature.onlyInCode?.includes(part) !== true)
    .map((part) => [part, variableOf(partOption(feature, part))]);
}

const all: readonly FeatureOption[] = Object.values(features);

export const partSettings: readonly string[] = all.flatMap((feature) =>
  settingsOf(feature).map(([, setting]) => setting),
);

/** The features that the settings mention, each with the options that they set. */
export function featuresOf(settings: object): Readonly<Record<string, unknown>> {
  const found = all.map((feature) => [feature.name, withParts(settings, feature)]);
  return Object.fromEntries(found.filter(([, given]) => given !== undefined));
}

function withParts(settings: object, feature: FeatureOption): unknown {
  const given: unknown = Reflect.get(settings, variableOf(feature.name));
  const found: Record<string, unknown> = {};
  for (const [part, setting] of settingsOf(feature)) {
    const value: unknown = Reflect.get(settings, setting);
    if (value !== undefined && value !== '') found[part] = value;
  }
  if (isObject(given)) return { ...found, ...given };
  const unset = given === undefined || given === '';
  const said = typeof given === 'string' ? /^(?:true|1)$/i.test(given) : given === true;
  const on = unset ? feature.askedBy.some((part) => part in found) : said;
  return on && Object.keys(found).length > 0 ? found : given;
}
