import { clean, homepage, type Io, painter, printable, printableJson } from '../../../src/tools.js';
import type { Finding, Level } from './rules/rule.js';
import { relative, resolve, sep } from 'node:path';
import { version } from '../version.js';

/** The files that were judged, and the findings. */
export interface Diagnosis {
  readonly files: number;
  readonly containers: number;
  /** The files that could not be read, and why. */
  readonly unread: readonly { readonly file: string; readonly reason: string }[];
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
export function text({ files, containers, unread, findings }: Diagnosis, io: Io): string {
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
  const left = unread.map(
    ({ file, reason }) => `${paint('yellow', printable(clean(`not read: ${file}: ${reason}`, maxLength)))}\n`,
  );
  const not = unread.length === 0 ? '' : `, ${plural(unread.length, 'file')} not read`;
  return `${blocks.join('\n')}${blocks.length > 0 ? '\n' : ''}${left.join('')}${judged}${not}: ${total}\n`;
}

/** For programs. */
export function json({ files, containers, unread, findings }: Diagnosis): string {
  return printableJson({
    files,
    containers,
    unread,
    findings: findings.map((finding) => ({ ...finding, sentence: clean(finding.sentence, maxLength) })),
  });
}

/** The text of a workflow command: the characters that would end it are escaped as GitHub documents it. */
const data = (text: string): string =>
  printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** For GitHub Actions: each finding is an annotation at its line, in the folder of the repository. */
export function annotations({ findings, unread }: Diagnosis, { cwd, env }: Io): string {
  const root = env['GITHUB_WORKSPACE'] ?? cwd;
  const left = unread.map(({ file, reason }) => `::warning title=not read::${data(`${file}: ${reason}`)}\n`);
  return findings
    .map((finding) => {
      const { rule, level, line, source } = finding;
      const path = pathOf(finding, root, cwd);
      const place = path === undefined ? [] : [`file=${property(path.join('/'))}`, `line=${line}`];
      const head = [...place, `title=${property(`${level}: ${rule}`)}`].join(',');
      const text = [...messageOf(finding).split('\n'), source].map(data).join('%0A');
      return `::${levels[level]} ${head}::${text}\n`;
    })
    .concat(left)
    .join('');
}

const levels = { hazard: 'error', advice: 'warning' } as const;

/** SARIF 2.1.0, for code scanning: each finding is a result at its line, in the folder of the repository. */
export function sarif({ findings, unread }: Diagnosis, { cwd, env }: Io): string {
  const root = env['GITHUB_WORKSPACE'] ?? cwd;
  const rules = [...new Map(findings.map((finding) => [finding.rule, finding])).values()];
  return printableJson({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'lifesign-cli doctor',
            version,
            rules: rules.map(({ rule, level, source }) => ({
              id: rule,
              // The rule's page, once there is a site; until then the page that has its reason.
              helpUri: homepage === '' ? source : `${homepage}doctor.html#${rule}`,
              defaultConfiguration: { level: levels[level] },
            })),
          },
        },
        invocations: [
          {
            executionSuccessful: unread.length === 0,
            toolExecutionNotifications: unread.map(({ file, reason }) => ({
              level: 'warning',
              message: { text: `${file} cannot be read: ${reason}` },
            })),
          },
        ],
        results: findings.map((finding) => ({
          ruleId: finding.rule,
          ruleIndex: rules.findIndex(({ rule }) => rule === finding.rule),
          level: levels[finding.level],
          message: { text: messageOf(finding) },
          // Code scanning recognises a known finding by these if its line moved.
          partialFingerprints: { finding: [finding.rule, finding.file, finding.subject].join('|') },
          ...placeOf(finding, root, cwd),
        })),
      },
    ],
  });
}

function messageOf({ subject, sentence, write }: Finding): string {
  const lines = write.length === 0 ? [] : ['Write:', ...write];
  return [clean(`${subject}: ${sentence}`, maxLength), ...lines].join('\n');
}

/** In the folder of the repository; standard input has no place there. */
const pathOf = ({ file }: Finding, root: string, cwd: string): readonly string[] | undefined =>
  file === 'standard input' ? undefined : relative(root, resolve(cwd, file)).split(sep);

function placeOf(finding: Finding, root: string, cwd: string): object {
  const uri = pathOf(finding, root, cwd)?.map(encodeURIComponent).join('/');
  if (uri === undefined) return {};
  const { line } = finding;
  return { locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }] };
}
