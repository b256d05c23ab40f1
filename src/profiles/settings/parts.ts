import { oldPartsOf } from '../../core/options/deprecated.js';
import { type FeatureOption, partOption } from '../../core/options/feature-options.js';
import { features } from '../../core/options/features.js';
import { variableAliases, variableOf } from '../../core/options/read-option.js';
import type { Parts } from '../../core/options/renamed.js';

type Names = ReadonlyMap<string, readonly [feature: string, part: string]>;

/** Found with the first settings: an import must not load the options of every feature. */
let known: Names | undefined;

/** The settings of single options of features: `HEALTH_WATCHDOG_PORT` is `port` of `watchdog`. */
const byName = (): Names => (known ??= findNames(Object.values(features)));

const findNames = (all: readonly FeatureOption[]): Names =>
  new Map(
    all.flatMap((feature) =>
      [...Object.keys(feature.parts), ...oldPartsOf(feature.name)].flatMap((part) => {
        const option = partOption(feature, part);
        const alias = variableAliases[option];
        return [variableOf(option), ...(alias === undefined ? [] : [alias])].map(
          (name) => [name, [feature.name, part]] as const,
        );
      }),
    ),
  );

export const partSettings = (): readonly string[] => [...byName().keys()];

/** The options of features that are set by separate settings. */
export function partsIn(settings: object): Parts {
  const parts: Record<string, Record<string, unknown>> = {};
  for (const [setting, [feature, part]] of byName()) {
    const value: unknown = Reflect.get(settings, setting);
    if (value !== undefined && value !== '') parts[feature] = { ...parts[feature], [part]: value };
  }
  return parts;
}
