import { declared, type Declared, type Uncommon } from './declared.js';
import { drain } from './drain.js';
import type { FeatureOption } from './feature-options.js';
import type { FeatureName } from './options.js';
import { summary } from './summary.js';

type Part<Name extends Uncommon> = keyof Declared<Name>['parts'] & string;

/** The part of a feature that is read even if it is off. */
interface Light<Name extends Uncommon> {
  readonly name: Name;
  readonly askedBy: readonly Part<Name>[];
}

/** A feature whose options are declared elsewhere, and loaded when it is on. */
const later = <Name extends Uncommon>(light: Light<Name>): Light<Name> & Declared<Name> => {
  const feature = {
    ...light,
    get parts() {
      return declared(light.name).parts;
    },
    get example() {
      return declared(light.name).example;
    },
    get resolve() {
      return declared(light.name).resolve;
    },
  };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the members of a declaration one by one, which the compiler does not put together
  return feature as unknown as Light<Name> & Declared<Name>;
};

/** The features whose options are one object each: their declarations are read, named and compared with the docs from here. */
export const features = {
  page: later({ name: 'page', askedBy: [] }),
  summary,
  watchdog: later({ name: 'watchdog', askedBy: ['port'] }),
  probes: later({ name: 'probes', askedBy: ['live', 'ready', 'started'] }),
  metrics: later({ name: 'metrics', askedBy: ['path'] }),
  drain,
} satisfies Record<FeatureName, FeatureOption>;
