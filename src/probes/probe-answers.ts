import { type Answer, answerProbeFailed, answerProbePassed, text } from '../core/endpoints.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import { printable } from '../core/scrub/printable.js';
import { clean } from '../core/scrub/scrub.js';
import { passes, type Probe, type ProbedCheck, type ProbeState, reasonOf, troubleOf } from './state.js';

/** The answer of a probe. */
export function answerProbe(probe: Probe, state: ProbeState, details: boolean): Answer {
  return passes(probe, state) ? answerProbePassed : answerProbeFailed(reasonOf(probe, state, details));
}

const names: Readonly<Record<Probe, string>> = { live: 'livez', ready: 'readyz', started: 'startupz' };

/** The answer to `?verbose`: one line per check, as the API server of Kubernetes writes it. */
export function answerVerbose(probe: Probe, state: ProbeState, withTexts: boolean): Answer {
  const passed = passes(probe, state);
  const lines = [
    ...(probe === 'live' ? [lineOf('event_loop', true)] : [lineOf('started', state.started)]),
    ...(probe === 'ready' ? [lineOf('draining', !state.draining)] : []),
    ...(probe === 'started' ? [] : state.checks.map((check) => checkLine(probe, check, withTexts))),
    `${names[probe]} check ${passed ? 'passed' : 'failed'}`,
  ];
  return text(
    passed ? answerProbePassed.status : answerProbeFailed('').status,
    'text/plain; charset=utf-8',
    `${lines.map(printable).join('\n')}\n`,
  );
}

const lineOf = (name: string, good: boolean) => (good ? `[+]${name} ok` : `[-]${name} failed`);

function checkLine(probe: 'live' | 'ready', check: ProbedCheck, withTexts: boolean): string {
  const { name, status, last } = check;
  const found = last && foundBy(last, withTexts);
  if (last?.capped === true) return `[+]${name} excluded: capped at ${last.status}: ${found}`;
  const why = `${troubleOf(check)}${status === 'fail' ? ` (${found})` : ''}`;
  if (probe === 'live' ? check.wedged : check.holdsReady) return `[-]${name} failed: ${why}`;
  // It fails, but does not count for this probe.
  return status === 'fail' ? `[+]${name} excluded: ${why}` : `[+]${name} ok`;
}

/** Characters of a text in a line. */
const maxFoundLength = 300;

/** The worst message of a result: `health.W001: Unapplied migrations found: 002_b`. */
function foundBy({ messages }: CheckResult, withTexts: boolean): string {
  const [worst] = messages.toSorted((one, other) => other.level - one.level);
  if (worst === undefined) return 'no message';
  return withTexts ? clean(`${worst.id}: ${worst.text}`, maxFoundLength) : worst.id;
}
