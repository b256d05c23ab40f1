import { duration, integer, levelName, levels, usageInvalid } from '../../../src/tools.js';
import type { Expectations } from './rule.js';
import { knownRule, type Selection } from './selection.js';

export interface Settings extends Selection {
  readonly expected: Expectations;
  readonly timeout: number;
}

/** The options of the command line, in its own spelling. */
interface Values {
  readonly strict: boolean;
  readonly skip: readonly string[];
  readonly only: readonly string[];
  readonly profile?: string | undefined;
  readonly timeout: string;
  readonly 'max-latency': string;
  readonly 'fail-level'?: string | undefined;
  readonly 'failed-status-code': string;
}

/** The command line wins over the profile. */
export function settingsOf(values: Values): Settings {
  const { strict, skip, only, profile: name } = values;
  const stranger = [...skip, ...only].find((rule) => !knownRule(rule));
  if (stranger !== undefined) {
    throw usageInvalid(
      `Unknown rule ${JSON.stringify(stranger)}; lifesign-cli explain --list shows all rules`,
    );
  }
  const profile = name === undefined ? undefined : profiles[name];
  if (name !== undefined && profile === undefined) {
    throw usageInvalid(
      `Unknown profile ${JSON.stringify(name)}; known profiles: ${Object.keys(profiles).join(', ')}`,
    );
  }
  return {
    strict,
    skip,
    only,
    profile: name,
    excused: profile?.excused ?? [],
    timeout: duration('--timeout', values.timeout),
    expected: {
      failedStatusCode: statusCode(values['failed-status-code']),
      failLevel: levelOf(values['fail-level'] ?? profile?.failLevel ?? 'warning'),
      maxLatency: duration('--max-latency', values['max-latency']),
    },
  };
}

function statusCode(text: string): number {
  const rule = integer(400, 599);
  const code = rule.fromText?.(text);
  if (rule.accepts(code)) return code;
  throw usageInvalid(`--failed-status-code is ${JSON.stringify(text)}; it must be ${rule.expects}`);
}

function levelOf(text: string): number {
  if (levelName.accepts(text)) return levels[text];
  throw usageInvalid(`--fail-level is ${JSON.stringify(text)}; it must be ${levelName.expects}`);
}

/** The known ways of an implementation that differ from the contract. */
interface Profile {
  readonly failLevel: string;
  /** Rules that it is known not to hold. */
  readonly excused: readonly string[];
}

/** By name. `python-dockerflow` has the observed responses of its Django, Flask, Sanic and FastAPI integrations. */
const profiles: Readonly<Record<string, Profile | undefined>> = {
  'python-dockerflow': {
    // A Warning gives 200 there.
    failLevel: 'error',
    excused: [
      'vary',
      'cache-control',
      'head',
      'options',
      'methods',
      'slash',
      'version.not-found',
      // An empty body with the content type of the framework.
      'lbheartbeat.content-type',
      'lbheartbeat.charset',
      'lbheartbeat.json',
      // Fields that are missing or null, the rid of the request before, no line for a request that failed.
      'logs.summary',
      'logs.errno',
      'logs.severity',
      'logs.rid',
      'logs.requests',
      'logs.facts',
      'logs.once',
    ],
  },
};
