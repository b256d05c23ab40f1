import { parseArgs, type ParseArgsConfig } from 'node:util';
import { usageInvalid } from './errors.js';

/** The options and positional arguments of a command; what it does not know is refused. */
export function parse<Config extends ParseArgsConfig>(
  command: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (thrown) {
    // Node adds advice about `--` that helps nobody here.
    const [sentence = ''] = String(thrown instanceof Error ? thrown.message : thrown).split('. ');
    throw usageInvalid(sentence.replace(/\.$/, ''), command);
  }
}
