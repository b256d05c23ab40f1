import type { Io } from './io.js';

/** A command of `lifesign`. */
export interface Command {
  readonly help: string;
  /** Returns the exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
}
