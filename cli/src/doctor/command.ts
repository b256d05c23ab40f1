import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, describe, fileUnusable, type Io, parse, usageInvalid } from '../../../src/tools.js';
import { type Source, sourcesOf } from './files.js';
import { type Read, workloadsIn } from './read.js';
import { callOf } from './traits.js';
import { annotations, type Diagnosis, json, sarif, text } from './reports.js';
import { judgeWorkload, withoutRepeats } from './rules/rule.js';
import { rules } from './rules/index.js';

const help = `Usage: lifesign-cli doctor [FILE|DIRECTORY|-]... [options]

Finds mistakes in how a service is deployed: Kubernetes and Cloud Run manifests
(including Helm and kustomize output), Compose files, Dockerfiles, ECS task
definitions and Nomad jobs. A finding is a hazard, which can cause an outage, or
advice. Exit code: 0 without a hazard, 1 with one, 2 for bad usage or a file
that cannot be read.

Options
  --skip RULE      skip a rule; repeatable
  --strict         exit with 1 for advice, too
  --json           print findings as JSON
  --sarif FILE     write findings as SARIF to a file, or to - (stdout)
  --github         print annotations for GitHub Actions, too
  --help           show this help

Examples
  lifesign-cli doctor deploy/ Dockerfile
  helm template . | lifesign-cli doctor -
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options: {
      skip: { type: 'string', multiple: true, default: [] },
      strict: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      sarif: { type: 'string' },
      github: { type: 'boolean', default: false },
    },
  });
  if (values.json && values.github) throw usageInvalid('--json and --github exclude each other');
  if (values.sarif === '-' && (values.json || values.github))
    throw usageInvalid('--sarif - writes to standard output, as --json and --github do');
  const known = rules.map(({ id }) => id);
  const stranger = values.skip.find((id) => !known.includes(id));
  if (stranger !== undefined) {
    throw usageInvalid(`Unknown rule ${JSON.stringify(stranger)}; the rules are ${known.join(', ')}`);
  }
  const read: Read[] = [];
  const unread: Unread[] = [];
  let hasLifesign = false;
  for await (const source of sourcesOf(positionals.length === 0 ? ['.'] : positionals, io)) {
    hasLifesign ||= isPackageWithLifesign(source);
    const { name: file, named } = source;
    const found = workloadsIn(source);
    if (typeof found === 'string') unread.push({ file, reason: found, named });
    else if (found !== undefined) read.push(found);
  }
  const workloads = read.flatMap((found) => found.workloads);
  const first = unread.find(({ named }) => named);
  if (workloads.length === 0) throw nothingFound(unread, first);
  const call = callOf(
    workloads,
    read.flatMap(({ fronts }) => fronts),
    hasLifesign,
  );
  const findings = workloads.flatMap((workload) => judgeWorkload(rules, workload, call));
  const diagnosis: Diagnosis = {
    files: read.length,
    containers: workloads.length,
    unread: unread.map(({ file, reason }) => ({ file, reason })),
    findings: withoutRepeats(findings).filter(({ rule }) => !values.skip.includes(rule)),
  };
  if (values.sarif === '-') io.stdout.write(sarif(diagnosis, io));
  else io.stdout.write(values.json ? json(diagnosis) : text(diagnosis, io));
  if (values.sarif !== undefined && values.sarif !== '-') await writeSarif(values.sarif, diagnosis, io);
  if (values.github) io.stdout.write(annotations(diagnosis, io));
  if (diagnosis.findings.some(({ level }) => values.strict || level === 'hazard')) return 1;
  return first === undefined ? 0 : 2;
}

async function writeSarif(file: string, diagnosis: Diagnosis, io: Io): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, file), sarif(diagnosis, io));
  } catch (thrown) {
    throw fileUnusable(file, 'written', describe(thrown));
  }
}

/** Whether a package.json of the call depends on lifesign. */
const isPackageWithLifesign = ({ name, text }: Source): boolean =>
  /(?:^|[/\\])package\.json$/.test(name) && typeof text === 'string' && /"lifesign"\s*:/.test(text);

interface Unread {
  readonly file: string;
  readonly reason: string;
  readonly named: boolean;
}

function nothingFound(unread: readonly Unread[], named: Unread | undefined): Error {
  if (named !== undefined) return fileUnusable(named.file, 'read', named.reason);
  const some = unread.slice(0, 5).map(({ file, reason }) => `${file} (${reason})`);
  const left = some.length === 0 ? '' : `; ${unread.length} files cannot be read: ${some.join(', ')}`;
  return usageInvalid(`The input describes no container${left}`);
}

export const command: Command = { help, run };
