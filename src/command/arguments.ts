import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearest } from '../core/options/nearest.js';
import { milliseconds, timeExpected } from './duration.js';
import { usageInvalid } from './errors.js';

/** The options and positional arguments of a command; unknown ones are refused. */
export function parse<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (thrown) {
    // Node adds advice about `--` that does not help here.
    const [sentence = ''] = String(thrown instanceof Error ? thrown.message : thrown).split('. ');
    const given = /^Unknown option '--?([^'=]+)/.exec(sentence)?.[1];
    const known = Object.keys(config.options ?? {});
    const hint = given === undefined ? '' : didYouMean(given, known, '--');
    throw usageInvalid(`${sentence.replace(/\.$/, '')}${hint}`);
  }
}

/** `; did you mean --timeout?` for a word that is close to a known one; else empty. */
export function didYouMean(given: string, known: readonly string[], prefix = ''): string {
  const meant = nearest(given, known);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** A time of the command line in milliseconds: `500ms`, `3s`, or `3` for seconds. */
export function duration(option: string, text: string): number {
  const value = milliseconds(text);
  if (value !== undefined) return value;
  throw usageInvalid(`${option} is ${JSON.stringify(text)}; ${timeExpected}`);
}
