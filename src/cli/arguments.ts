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

/** `500ms`, `3s` or a number of milliseconds. */
export function duration(option: string, text: string, command: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s)?$/.exec(text) ?? [];
  const value = Math.round(Number(digits) * (unit === 's' ? 1000 : 1));
  if (value >= 1 && value < 2 ** 31) return value;
  throw usageInvalid(`${option} is ${JSON.stringify(text)}; it must be a time such as 500ms or 3s`, command);
}
