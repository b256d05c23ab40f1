import { metrics } from './metrics.js';
import { page } from './page.js';
import { probes } from './probes.js';
import { watchdog } from './watchdog.js';

const features = { page, watchdog, probes, metrics };

/** The features of which most applications use few. */
export type Uncommon = keyof typeof features;
/** The declaration of one of them. */
export type Declared<Name extends Uncommon> = ReturnType<(typeof features)[Name]>;

/** The options of a feature: loaded with the first that is on. */
// oxlint-disable-next-line typescript/consistent-type-assertions -- the compiler does not follow a name to its own function
export const declared = <Name extends Uncommon>(name: Name) => features[name]() as Declared<Name>;
