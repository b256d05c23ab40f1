import { relative, resolve, sep } from 'node:path';
import type { Io } from '../../../src/command/io.js';
import { printable } from '../../../src/core/scrub/printable.js';
import { clean } from '../../../src/core/scrub/scrub.js';
import type { Diagnosis } from './reports.js';

const maxLength = 600;

/** The text of a workflow command: the characters that would end it are escaped as GitHub asks. */
const data = (text: string): string =>
  printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** For GitHub Actions: each finding is an annotation at its line, in the folder of the repository. */
export function annotations({ findings }: Diagnosis, { cwd, env }: Io): string {
  const root = env['GITHUB_WORKSPACE'] ?? cwd;
  return findings
    .map(({ rule, level, file, line, subject, sentence, write, source }) => {
      const name = relative(root, resolve(cwd, file)).split(sep).join('/');
      // Findings from standard input have no line in the repository.
      const place = file === 'standard input' ? [] : [`file=${property(name)}`, `line=${line}`];
      const head = [...place, `title=${property(`${level}: ${rule}`)}`].join(',');
      const lines = write.length === 0 ? [] : ['Write:', ...write];
      const parts = [clean(`${subject}: ${sentence}`, maxLength), ...lines, source].map(data);
      return `::${level === 'hazard' ? 'error' : 'warning'} ${head}::${parts.join('%0A')}\n`;
    })
    .join('');
}
