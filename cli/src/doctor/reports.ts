import { clean } from '../../../src/core/scrub/scrub.js';
import { printable, printableJson } from '../../../src/core/scrub/printable.js';
import { type Io, painter } from '../../../src/command/io.js';
import type { Finding } from './rules/rule.js';

/** What was judged, and what was found. */
export interface Diagnosis {
  readonly files: number;
  readonly containers: number;
  readonly findings: readonly Finding[];
}

const longest = 600;
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** For people: where, what, and what to write instead. */
export function text({ files, containers, findings }: Diagnosis, io: Io): string {
  const paint = painter(io, io.stdout);
  const blocks = findings.map(({ rule, file, line, subject, sentence, write }) =>
    [
      `${paint('bold', printable(`${file}:${line}`))}  ${paint('red', rule)}`,
      `  ${printable(clean(`${subject}: ${sentence}`, longest))}`,
      ...write.map((row) => `    ${paint('green', printable(row))}`),
      '',
    ].join('\n'),
  );
  const judged = `${plural(files, 'file')}, ${plural(containers, 'container')}`;
  const total =
    findings.length === 0
      ? paint('green', 'nothing found')
      : paint('red', plural(findings.length, 'finding'));
  const more = findings.length === 0 ? '' : paint('dim', ' (rules: docs/doctor.md)');
  return `${blocks.join('\n')}${blocks.length > 0 ? '\n' : ''}${judged}: ${total}${more}\n`;
}

/** For programs. */
export function json({ files, containers, findings }: Diagnosis): string {
  return printableJson({
    files,
    containers,
    findings: findings.map((finding) => ({ ...finding, sentence: clean(finding.sentence, longest) })),
  });
}
