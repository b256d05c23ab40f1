import { variableOf } from '../../core/options/options.js';

interface FeatureSettings {
  /** Names of its options, and the settings of each. */
  readonly parts: readonly (readonly [part: string, setting: string])[];
  /** The parts that turn it on by themselves, as their variables do. */
  readonly asks: readonly string[];
}

/** Features whose options are one object: `port` of `watchdog` is also the setting `HEALTH_WATCHDOG_PORT`. */
const features = {
  watchdog: partsOf('watchdog', ['port'], ['busyAfter', 'stuckAfter', 'terminationLog']),
  probes: partsOf(
    'probes',
    ['live', 'ready', 'started'],
    ['startWhen', 'failAfter', 'passAfter', 'restartAfter', 'secondOpinionEvery', 'probeEvery', 'peers'],
  ),
  metrics: partsOf('metrics', ['path'], ['refresh', 'registry', 'requests']),
  errorEndpoint: partsOf('errorEndpoint', ['token'], []),
};

function partsOf(feature: string, asks: readonly string[], others: readonly string[]): FeatureSettings {
  const settingOf = (part: string) => `${variableOf(feature)}${variableOf(part).slice('HEALTH'.length)}`;
  return { parts: [...asks, ...others].map((part) => [part, settingOf(part)]), asks };
}

export const partSettings: readonly string[] = Object.values(features).flatMap(({ parts }) =>
  parts.map(([, setting]) => setting),
);

/** The features that the settings have something to say of, each with what they say of its parts. */
export function featuresOf(settings: object): Readonly<Record<string, unknown>> {
  const found = Object.entries(features).map(([name, feature]) => [name, withParts(settings, name, feature)]);
  return Object.fromEntries(found.filter(([, given]) => given !== undefined));
}

function withParts(settings: object, feature: string, { parts, asks }: FeatureSettings): unknown {
  const given: unknown = Reflect.get(settings, variableOf(feature));
  const found: Record<string, unknown> = {};
  for (const [part, setting] of parts) {
    const value: unknown = Reflect.get(settings, setting);
    if (value !== undefined && value !== '') found[part] = value;
  }
  if (typeof given === 'object' && given !== null) return { ...found, ...given };
  const unset = given === undefined || given === '';
  const said = typeof given === 'string' ? /^(?:true|1)$/i.test(given) : given === true;
  const on = unset ? asks.some((part) => part in found) : said;
  return on && Object.keys(found).length > 0 ? found : given;
}
