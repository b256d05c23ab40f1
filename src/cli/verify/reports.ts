import { type Io, painter } from '../io.js';
import { printable, printableJson } from '../../core/scrub/printable.js';
import type { Result } from './rule.js';

/** All results of one run. */
export interface Run {
  readonly url: string;
  readonly results: readonly Result[];
}

type Outcome = Result['outcome'];

export const count = ({ results }: Run, outcome: Outcome): number =>
  results.filter((result) => result.outcome === outcome).length;

const marks: Readonly<Record<Outcome, string>> = { passed: '✓', failed: '✗', skipped: '-' };
const styles = { passed: 'green', failed: 'red', skipped: 'dim' } as const;

/** For people: a line a rule, with a reason and a reference where it failed. */
export function table(run: Run, io: Io): string {
  const paint = painter(io, io.stdout);
  const width = Math.max(...run.results.map(({ name }) => name.length));
  const lines = run.results.map(({ name, outcome, reason: raw, reference }) => {
    const reason = printable(raw);
    const mark = paint(styles[outcome], marks[outcome]);
    if (outcome === 'passed') return `  ${mark} ${name}`;
    const where = outcome === 'failed' ? paint('dim', ` (${reference})`) : '';
    return `  ${mark} ${name.padEnd(width)}  ${outcome === 'failed' ? reason : paint('dim', reason)}${where}`;
  });
  const total = (['passed', 'failed', 'skipped'] as const)
    .filter((outcome) => outcome !== 'skipped' || count(run, outcome) > 0)
    .map((outcome) => `${count(run, outcome)} ${outcome}`)
    .join(', ');
  const verdict = count(run, 'failed') === 0 ? paint('green', total) : paint('red', total);
  return `${paint('bold', printable(run.url))}\n\n${lines.join('\n')}\n\n${verdict}\n`;
}

/** For programs. */
export function json(run: Run): string {
  const { url, results } = run;
  const [passed, failed, skipped] = [count(run, 'passed'), count(run, 'failed'), count(run, 'skipped')];
  return printableJson({ url, passed, failed, skipped, results });
}

/** For CI providers: JUnit's XML, a test case a rule. */
export function junit(run: Run): string {
  const counts = `tests="${run.results.length}" failures="${count(run, 'failed')}" skipped="${count(run, 'skipped')}"`;
  const cases = run.results.map(({ name, outcome, reason, reference }) => {
    const open = `    <testcase classname="lifesign.${escape(name.split('.')[0] ?? '')}" name="${escape(name)}"`;
    if (outcome === 'passed') return `${open}/>`;
    const inner =
      outcome === 'failed'
        ? `<failure message="${escape(reason)}">${escape(`${reason} (${reference})`)}</failure>`
        : `<skipped message="${escape(reason)}"/>`;
    return `${open}>${inner}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${escape(`lifesign verify ${run.url}`)}" ${counts}>`,
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
