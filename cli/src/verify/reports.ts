import { type Io, painter, printable, printableJson } from '../../../src/tools.js';
import type { Result } from './rule.js';

/** All results of one run. */
export interface Run {
  readonly url: string;
  readonly results: readonly Result[];
}

type Outcome = Result['outcome'];

export const count = ({ results }: Run, outcome: Outcome): number =>
  results.filter((result) => result.outcome === outcome).length;

const marks: Readonly<Record<Outcome, string>> = { passed: '✓', failed: '✗', advised: '!', skipped: '-' };
const styles = { passed: 'green', failed: 'red', advised: 'yellow', skipped: 'dim' } as const;
/** Skipped rules with the same reason that have a line each. */
const most = 3;
const outcomes = ['passed', 'failed', 'advised', 'skipped'] as const;

/** For people: one line per rule; a failed one with the reason and the command that explains it. */
export function table(run: Run, io: Io): string {
  const paint = painter(io, io.stdout);
  const width = Math.max(...run.results.map(({ name }) => name.length));
  const skipped = run.results.filter(({ outcome }) => outcome === 'skipped');
  const lines = run.results.flatMap(({ name, outcome, reason: raw, docs }) => {
    const reason = printable(raw);
    const mark = paint(styles[outcome], marks[outcome]);
    if (outcome === 'passed') return `  ${mark} ${name}`;
    if (outcome === 'skipped') {
      // Many that do not apply for one reason are one line.
      const same = skipped.filter((one) => one.reason === raw);
      if (same.length > most && same[0]?.name !== name) return [];
      const what = same.length > most ? `${same.length} rules do not apply` : name;
      return `  ${mark} ${what.padEnd(width)}  ${paint('dim', reason)}`;
    }
    return `  ${mark} ${name.padEnd(width)}  ${reason}${paint('dim', ` (${docs})`)}`;
  });
  const total = outcomes
    .filter((outcome) => outcome === 'passed' || outcome === 'failed' || count(run, outcome) > 0)
    .map((outcome) => `${count(run, outcome)} ${outcome}`)
    .join(', ');
  const verdict = count(run, 'failed') === 0 ? paint('green', total) : paint('red', total);
  return `${paint('bold', printable(run.url))}\n\n${lines.join('\n')}\n\n${verdict}\n`;
}

/** For programs. */
export function json(run: Run): string {
  const { url, results } = run;
  const [passed, failed, advised, skipped] = outcomes.map((outcome) => count(run, outcome));
  return printableJson({ url, passed, failed, advised, skipped, results });
}

/** For CI providers: JUnit's XML, each rule a test case. */
export function junit(run: Run): string {
  const counts = `tests="${run.results.length}" failures="${count(run, 'failed')}" skipped="${count(run, 'skipped')}"`;
  const cases = run.results.map(({ name, outcome, reason, docs }) => {
    const open = `    <testcase classname="lifesign.${escape(name.split('.')[0] ?? '')}" name="${escape(name)}"`;
    const whole = escape(`${reason} (${docs})`);
    if (outcome === 'passed') return `${open}/>`;
    if (outcome === 'skipped') return `${open}><skipped message="${escape(reason)}"/></testcase>`;
    if (outcome === 'advised') return `${open}><system-out>recommended: ${whole}</system-out></testcase>`;
    return `${open}><failure message="${escape(reason)}">${whole}</failure></testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escape(`lifesign-cli verify ${run.url}`)}" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>\n',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** For XML, which cannot carry control characters, not even escaped its own way. */
function escape(text: string): string {
  return printable(text).replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
