import { relative, resolve } from 'node:path';
import { type Command, type Io, painter, parse, usageInvalid } from '../../../src/tools.js';
import { writeAll } from './files.js';
import { planFor } from './plan.js';
import { readProject } from './project.js';
import { treeOf } from './syntax.js';
import { tryOut } from './try-out.js';

const help = `Usage: lifesign-cli init [DIRECTORY] [options]

Looks at a project and prints what lifesign needs in it, as a diff with a reason
for each hunk: the package, the lines at the right place with the clients that
it finds, a HEALTHCHECK, version.json, probes. Without --write nothing changes.
If it is not sure of something, it says so. Exit code: 0 if nothing
is left to do, 1 if something is left to you, 2 for bad usage.

Options
  --write      apply the diff, install the package, start the service and verify
               it
  --no-start   with --write: neither install nor start anything
  --help       show this help

Examples
  npx lifesign-cli init
  npx lifesign-cli init services/shop --write
  npx lifesign-cli init | git apply
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options: {
      write: { type: 'boolean', default: false },
      'no-start': { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw usageInvalid('init takes one directory');
  if (values['no-start'] && !values.write) throw usageInvalid('--no-start goes with --write');
  const project = readProject(resolve(io.cwd, positionals[0] ?? '.'));
  const found = planFor(project);
  const { plan, what, isThere } = found;
  // Never a broken project: a change that does not parse is a defect of ours, and nothing is written.
  for (const { path, after } of plan.changes)
    if (/\.[cm]?[jt]sx?$/.test(path) && treeOf(path, after) === undefined)
      throw new Error(`The change of ${path} would not parse; nothing was changed`);
  // The diff goes to standard output, everything else to standard error: `init | git apply`.
  const paint = painter(io, io.stdout);
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  if (what !== undefined) say(`Found ${what}.`);
  for (const change of plan.changes)
    for (const line of change.diff(project.directory).replace(/\n$/, '').split('\n'))
      io.stdout.write(`${coloured(paint, line)}\n`);
  for (const note of plan.notes) say(`- ${note}`);
  if (values.write) writeAll(plan.changes);
  const names = plan.changes.map(({ path }) => relative(project.directory, path)).join(', ');
  if (names === '') say(isThere ? 'Nothing to change: lifesign is there already.' : 'Nothing to change.');
  else say(values.write ? `Changed ${names}.` : `Nothing is written yet: --write changes ${names}.`);
  const isTried = values.write && !values['no-start'] && what !== undefined;
  const isGood = !isTried || (await tryOut(project, found, io));
  // If nothing was changed, the code is left to you.
  return isGood && what !== undefined && (isThere || names !== '') ? 0 : 1;
}

function coloured(paint: ReturnType<typeof painter>, line: string): string {
  if (/^(?:@@|---|\+\+\+)/.test(line)) return paint('bold', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}

export const command: Command = { help, run };
