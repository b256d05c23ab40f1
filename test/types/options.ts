// A step of a new option that is left out does not compile: tsc (npm run typecheck) says where.
import type { Declares } from '../../src/core/options/read-options.js';
import { flag, timeout } from '../../src/core/options/rules.js';

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
