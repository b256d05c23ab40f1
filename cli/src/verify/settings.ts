import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { levels } from '../../../src/core/heartbeat/messages.js';
import { integer, levelName } from '../../../src/core/options/rules.js';
import { describe } from '../../../src/core/scrub/scrub.js';
import { duration } from '../../../src/command/arguments.js';
import { fileUnusable, usageInvalid } from '../../../src/command/errors.js';
import type { Io } from '../../../src/command/io.js';
import { isRecord, parseJson } from '../json.js';
import type { Expectations } from './expectations.js';
import { profiles } from './profiles.js';
import { knownRule, type Selection } from './selection.js';

/** The contents of the configuration file; the options of the command have the same names in their own spelling. */
export interface PartialSettings {
  strict?: boolean;
  skip?: readonly string[];
  only?: readonly string[];
  profile?: string;
  failLevel?: string;
  failedStatusCode?: number | string;
  maxLatency?: number | string;
  timeout?: number | string;
}

export interface Settings extends Selection {
  readonly expected: Expectations;
  readonly timeout: number;
}

/** The options of the command line, in its own spelling. */
interface Values {
  readonly strict?: boolean | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly profile?: string | undefined;
  readonly timeout?: string | undefined;
  readonly 'max-latency'?: string | undefined;
  readonly 'fail-level'?: string | undefined;
  readonly 'failed-status-code'?: string | undefined;
}

export function settingsOfArguments(values: Values): PartialSettings {
  const { strict, skip, only, profile, timeout } = values;
  const {
    'max-latency': maxLatency,
    'fail-level': failLevel,
    'failed-status-code': failedStatusCode,
  } = values;
  return {
    ...(strict !== undefined && { strict }),
    ...(skip !== undefined && { skip }),
    ...(only !== undefined && { only }),
    ...(profile !== undefined && { profile }),
    ...(timeout !== undefined && { timeout }),
    ...(maxLatency !== undefined && { maxLatency }),
    ...(failLevel !== undefined && { failLevel }),
    ...(failedStatusCode !== undefined && { failedStatusCode }),
  };
}

const usualFile = 'lifesign.verify.json';
const misuse = (sentence: string) => usageInvalid(sentence);

/** The configuration file, or nothing if none was named and the default one does not exist. */
export async function readConfig(file: string | undefined, io: Io): Promise<PartialSettings> {
  const name = file ?? usualFile;
  let text;
  try {
    text = await readFile(resolve(io.cwd, name), 'utf8');
  } catch (thrown) {
    const missing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (file === undefined && missing) return {};
    throw fileUnusable(name, 'read', describe(thrown));
  }
  const parsed = parseJson(text);
  if ('wrong' in parsed) throw misuse(`${name} ${parsed.wrong}`);
  return configOf(name, parsed.value);
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function configOf(file: string, value: unknown): PartialSettings {
  if (!isRecord(value)) throw misuse(`${file} is not a JSON object`);
  const given: PartialSettings = {};
  for (const [key, item] of Object.entries(value)) {
    const wrong = (expects: string) => misuse(`${key} in ${file} must be ${expects}`);
    if (key === 'strict') {
      if (typeof item !== 'boolean') throw wrong('true or false');
      given.strict = item;
    } else if (key === 'skip' || key === 'only') {
      if (!isTexts(item)) throw wrong('a list of rules such as ["vary"]');
      given[key] = item;
    } else if (key === 'profile' || key === 'failLevel') {
      if (typeof item !== 'string') throw wrong('a text');
      given[key] = item;
    } else if (key === 'failedStatusCode' || key === 'maxLatency' || key === 'timeout') {
      if (typeof item !== 'number' && typeof item !== 'string') throw wrong('a number or a string');
      given[key] = item;
    } else if (key !== '$schema') {
      throw misuse(
        `${file} has ${JSON.stringify(key)}; known options: strict, skip, only, profile, failLevel, failedStatusCode, maxLatency, timeout`,
      );
    }
  }
  return given;
}

/** Merges the settings: the command line wins over the file, and both over the profile. Lists of `skip` are joined. */
export function settingsOf(file: PartialSettings, line: PartialSettings): Settings {
  const all = { ...file, ...line };
  const skip = [...(file.skip ?? []), ...(line.skip ?? [])];
  const stranger = [...skip, ...(all.only ?? [])].find((name) => !knownRule(name));
  if (stranger !== undefined) {
    throw misuse(`Unknown rule ${JSON.stringify(stranger)}; docs/verify.md lists all rules`);
  }
  const profile = all.profile === undefined ? undefined : profiles[all.profile];
  if (all.profile !== undefined && profile === undefined) {
    throw misuse(
      `Unknown profile ${JSON.stringify(all.profile)}; known profiles: ${Object.keys(profiles).join(', ')}`,
    );
  }
  return {
    strict: all.strict ?? false,
    skip,
    only: all.only ?? [],
    profile: all.profile,
    excused: profile?.excused ?? [],
    timeout: duration('--timeout', String(all.timeout ?? '5s')),
    expected: {
      failedStatusCode: statusCode(String(all.failedStatusCode ?? 500)),
      failLevel: levelOf(all.failLevel ?? profile?.failLevel ?? 'warning'),
      maxLatency: duration('--max-latency', String(all.maxLatency ?? '1s')),
    },
  };
}

function statusCode(text: string): number {
  const rule = integer(400, 599);
  const code = rule.fromText?.(text);
  if (rule.accepts(code)) return code;
  throw misuse(`--failed-status-code is ${JSON.stringify(text)}; it must be ${rule.expects}`);
}

function levelOf(text: string): number {
  if (levelName.accepts(text)) return levels[text];
  throw misuse(`--fail-level is ${JSON.stringify(text)}; it must be ${levelName.expects}`);
}
