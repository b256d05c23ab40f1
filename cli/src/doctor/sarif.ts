import { relative, resolve, sep } from 'node:path';
import type { Io } from '../../../src/command/io.js';
import { printableJson } from '../../../src/core/scrub/printable.js';
import { clean } from '../../../src/core/scrub/scrub.js';
import { version } from '../version.js';
import type { Diagnosis } from './reports.js';
import type { Finding } from './rules/rule.js';

const maxLength = 600;
const levels = { hazard: 'error', advice: 'warning' } as const;

/** SARIF 2.1.0, for code scanning: each finding is a result at its line, in the folder of the repository. */
export function sarif({ findings }: Diagnosis, { cwd, env }: Io): string {
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
              helpUri: source,
              defaultConfiguration: { level: levels[level] },
            })),
          },
        },
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

/** Standard input has no line in the repository. */
function placeOf({ file, line }: Finding, root: string, cwd: string): object {
  if (file === 'standard input') return {};
  const path = relative(root, resolve(cwd, file)).split(sep);
  const uri = path.map(encodeURIComponent).join('/');
  return { locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } }] };
}
