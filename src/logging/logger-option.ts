import { type Logger, silent } from '../core/log.js';
import { loadAdopt } from './load.js';
import { stdoutLogger } from './stdout/stdout.js';

/** Makes the logger of the option when its name is known: adopted, silent for false, `byDefault` if none is given. */
export function loggerOf(
  given: unknown,
  byDefault = (loggerName: string): Logger => stdoutLogger({ loggerName }),
): (loggerName: string) => Logger {
  return (loggerName) => {
    if (given === undefined) return byDefault(loggerName);
    // The code that recognises loggers of libraries is loaded with the first of them.
    return given === false ? silent : loadAdopt().readLogger(given);
  };
}
