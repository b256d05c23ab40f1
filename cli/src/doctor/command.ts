import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Command, describe, fileUnusable, type Io, parse, usageInvalid } from '../../../src/tools.js';
import { annotations } from './reports.js';
import { type Source, sourcesOf } from './files.js';
import { type Read, workloadsIn } from './read.js';
import { callOf } from './traits.js';
import { type Diagnosis, json, text } from './reports.js';
import { judgeWorkload, withoutRepeats } from './rules/rule.js';
import { sarif } from './reports.js';
import { rules } from './rules/index.js';

const help = `Usage: lifesign-cli doctor [FILE|DIRECTORY|-]... [options]

Finds mistakes in how a service is deployed: Kubernetes and Cloud Run manifests
(including Helm and kustomize output), Compose files, Dockerfiles, ECS task
definitions and Nomad jobs. A finding is a hazard, which can cause an outage, or
advice. Exit code: 0 without a hazard, 1 with one, 2 for bad usage.

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
  const sources = await sourcesOf(positionals.length === 0 ? ['.'] : positionals, io);
  const until = performance.now() + maxReadTime;
  const read = sources.map((source) => readBefore(until, source)).filter((found) => found !== undefined);
  const workloads = read.flatMap((found) => found.workloads);
  if (workloads.length === 0) throw usageInvalid('The input describes no container');
  const call = callOf(
    workloads,
    read.flatMap(({ fronts }) => fronts),
    sources.some(isPackageWithLifesign),
  );
  const findings = workloads.flatMap((workload) => judgeWorkload(rules, workload, call));
  const diagnosis: Diagnosis = {
    files: read.length,
    containers: workloads.length,
    findings: withoutRepeats(findings).filter(({ rule }) => !values.skip.includes(rule)),
  };
  if (values.sarif === '-') io.stdout.write(sarif(diagnosis, io));
  else io.stdout.write(values.json ? json(diagnosis) : text(diagnosis, io));
  if (values.sarif !== undefined && values.sarif !== '-') await writeSarif(values.sarif, diagnosis, io);
  if (values.github) io.stdout.write(annotations(diagnosis, io));
  return diagnosis.findings.some(({ level }) => values.strict || level === 'hazard') ? 1 : 0;
}

async function writeSarif(file: string, diagnosis: Diagnosis, io: Io): Promise<void> {
  try {
    await writeFile(resolve(io.cwd, file), sarif(diagnosis, io));
  } catch (thrown) {
    throw fileUnusable(file, 'written', describe(thrown));
  }
}

/** Whether a package.json of the call depends on lifesign. */
const isPackageWithLifesign = ({ name, text: json }: Source): boolean =>
  /(?:^|[/\\])package\.json$/.test(name) && /"lifesign"\s*:/.test(json);

/** Milliseconds after which no further file is read. */
const maxReadTime = 60_000;

function readBefore(until: number, source: Source): Read | undefined {
  if (performance.now() < until) return workloadsIn(source);
  throw fileUnusable(source.name, 'read', 'the files before it took more than a minute; name fewer files');
}

export const command: Command = { help, run };
