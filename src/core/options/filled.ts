import type { DurationText } from './duration.js';

/** Options with every default filled in, and times as milliseconds. */
export type Filled<Options> = {
  readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined | DurationText>;
};
