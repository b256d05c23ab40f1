// A step of a new option that is left out does not compile: tsc (npm run typecheck) says where.
import type { Declares } from '../../src/core/options/declaration.js';
import type { DrainOptions } from 'lifesign/drain';
import type { features } from '../../src/core/options/features.js';
import type { OldThresholds } from '../../src/core/options/deprecated.js';
import type { OldName } from '../../src/core/options/renamed.js';
import type { CoreOptions, FeatureName, OldOptions } from '../../src/core/options/options.js';
import { flag, timeout } from '../../src/core/options/rules.js';
import type { AnySettings } from '../../src/profiles/settings/types.js';

interface Example {
  readonly every?: number | undefined;
  readonly on?: boolean | undefined;
}
export const whole = { every: [timeout, 1000], on: [flag, undefined] } satisfies Declares<Example>;
// @ts-expect-error an option of the interface is missing in the table
export const short = { every: [timeout, 1000] } satisfies Declares<Example>;
// @ts-expect-error the table has an option that the interface does not have
export const long = { every: [timeout, 1], on: [flag, true], off: [flag, true] } satisfies Declares<Example>;
// @ts-expect-error the rule is one of another type
export const wrong = { every: [flag, 1000], on: [flag, true] } satisfies Declares<Example>;

type Capitals<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? Uppercase<First> : `_${First}`}${Capitals<Rest>}`
  : '';
type PartSetting<Feature extends FeatureName, Part> = Part extends 'onError'
  ? never
  : `HEALTH_${Capitals<`${Feature}${Capitalize<Part & string>}`>}`;
type Expected =
  | { [Name in FeatureName]: PartSetting<Name, keyof (typeof features)[Name]['parts']> }[FeatureName]
  | `HEALTH_${Capitals<Exclude<keyof CoreOptions, 'versionPath' | 'details' | keyof OldOptions>>}`;

type Missing = Exclude<Expected, keyof AnySettings>;
/** The error names the settings that src/profiles/settings/types.ts lacks. */
export const complete: [Missing] extends [never] ? true : Missing = true;

// The table of old names and their types have the same names.
type Old =
  | keyof OldOptions
  | `${'probes' | 'check'}.${keyof OldThresholds}`
  | `drainOnSignals.${keyof DrainOptions & `drain${string}`}`;
export const oldNames: [Exclude<Old, OldName>, Exclude<OldName, Old>] extends [never, never] ? true : never =
  true;
