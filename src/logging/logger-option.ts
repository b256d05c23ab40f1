import { type Logger, silent } from '../core/log.js';
import { readLogger } from './adopt.js';
import { stdoutLogger } from './stdout/stdout.js';

/** Makes the logger of the option when its name is known: adopted, silent for false, `byDefault` if none is given. */
export function loggerOf(
  given: unknown,
  byDefault = (loggerName: string): Logger => stdoutLogger({ loggerName }),
): (loggerName: string) => Logger {
  return (loggerName) => {
    if (given === undefined) return byDefault(loggerName);
    return given === false ? silent : readLogger(given);
  };
}
