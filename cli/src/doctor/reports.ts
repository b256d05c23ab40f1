import { clean } from '../../../src/core/scrub/scrub.js';
import { printable, printableJson } from '../../../src/core/scrub/printable.js';
import { type Io, painter } from '../../../src/command/io.js';
import type { Finding, Level } from './rules/rule.js';

/** The files that were judged, and the findings. */
export interface Diagnosis {
  readonly files: number;
  readonly containers: number;
  readonly findings: readonly Finding[];
}

const maxLength = 600;
const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `2 hazards`, `1 advice`; undefined for none. */
function countOf(findings: readonly Finding[], level: Level): string | undefined {
  const { length } = findings.filter((finding) => finding.level === level);
  if (length === 0) return undefined;
  return level === 'advice' ? `${length} advice` : plural(length, level);
}

/** For people: the place, the problem, and the fix. */
export function text({ files, containers, findings }: Diagnosis, io: Io): string {
  const paint = painter(io, io.stdout);
  const blocks = findings.map(({ rule, level, file, line, subject, sentence, write, source }) =>
    [
      `${paint('bold', printable(`${file}:${line}`))}  ${paint(level === 'hazard' ? 'red' : 'yellow', `${level}: ${rule}`)}`,
      `  ${printable(clean(`${subject}: ${sentence}`, maxLength))}`,
      ...write.map((row) => `    ${paint('green', printable(row))}`),
      `  ${paint('dim', source)}`,
      '',
    ].join('\n'),
  );
  const judged = `${plural(files, 'file')}, ${plural(containers, 'container')}`;
  const total =
    findings.length === 0
      ? paint('green', 'nothing found')
      : [countOf(findings, 'hazard'), countOf(findings, 'advice')]
          .flatMap((count) => count ?? [])
          .map((count) => paint(count.endsWith('advice') ? 'yellow' : 'red', count))
          .join(', ');
  const more = findings.length === 0 ? '' : paint('dim', ' (rules: docs/doctor.md)');
  return `${blocks.join('\n')}${blocks.length > 0 ? '\n' : ''}${judged}: ${total}${more}\n`;
}

/** For programs. */
export function json({ files, containers, findings }: Diagnosis): string {
  return printableJson({
    files,
    containers,
    findings: findings.map((finding) => ({ ...finding, sentence: clean(finding.sentence, maxLength) })),
  });
}
