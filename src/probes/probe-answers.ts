import { type Answer, answerProbeFailed, answerProbePassed, text } from '../core/endpoints.js';
import { printable } from '../core/scrub/printable.js';
import { passes, type Probe, type ProbedCheck, type ProbeState, reasonOf, troubleOf } from './state.js';

/** The answer of a probe. */
export function answerProbe(probe: Probe, state: ProbeState, details: boolean): Answer {
  return passes(probe, state) ? answerProbePassed : answerProbeFailed(reasonOf(probe, state, details));
}

const names: Readonly<Record<Probe, string>> = { live: 'livez', ready: 'readyz', started: 'startupz' };

/** The answer to `?verbose`: one line per check, as the API server of Kubernetes writes it. */
export function answerVerbose(probe: Probe, state: ProbeState): Answer {
  const passed = passes(probe, state);
  const lines = [
    ...(probe === 'live' ? [lineOf('event_loop', true)] : [lineOf('started', state.started)]),
    ...(probe === 'ready' ? [lineOf('draining', !state.draining)] : []),
    ...(probe === 'started' ? [] : state.checks.map((check) => checkLine(probe, check))),
    `${names[probe]} check ${passed ? 'passed' : 'failed'}`,
  ];
  return text(
    passed ? answerProbePassed.status : answerProbeFailed('').status,
    'text/plain; charset=utf-8',
    `${lines.map(printable).join('\n')}\n`,
  );
}

const lineOf = (name: string, good: boolean) => (good ? `[+]${name} ok` : `[-]${name} failed`);

function checkLine(probe: 'live' | 'ready', check: ProbedCheck): string {
  const { name, status } = check;
  if (probe === 'live' ? check.wedged : check.holdsReady) return `[-]${name} failed: ${troubleOf(check)}`;
  // It fails, but does not count for this probe.
  return status === 'fail' ? `[+]${name} excluded: ${troubleOf(check)}` : `[+]${name} ok`;
}
