import { constants } from 'node:os';

/** The `exit` of a drain whose process the application ends, by the signal or by a code of its own. */
export const frameworkEnds = (): void => {};
export const theFrameworkEnds = (): string => 'the framework ends the process';

/**
 * Ends the process by the signal, as Node does without a handler. Listeners of `exit` run first, so that no log line is lost. Process 1 of a
 * container cannot be ended by a signal to itself: it exits with 128 plus its number.
 */
export function endBySignal(signal: NodeJS.Signals): never {
  process.once('exit', () => {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
  process.exit(128 + constants.signals[signal]);
}
