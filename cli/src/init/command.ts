import { relative, resolve } from 'node:path';
import { type Command, type Io, painter, parse, usageInvalid } from '../../../src/tools.js';
import type { Plan } from './changes.js';
import { type Found, planFor } from './plan.js';
import { type Project, readProject } from './project.js';
import { treeOf } from './syntax.js';
import { tryOut } from './try-out.js';
import { writeAll } from './write.js';

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
  refuseBroken(found.plan);
  say(io, project, found);
  if (values.write) writeAll(found.plan.changes);
  sayWritten(io, project, found, values.write);
  const isGood =
    !values.write || values['no-start'] || found.what === undefined ? true : await tryOut(project, found, io);
  return isGood && found.what !== undefined && !needsWork(found) ? 0 : 1;
}

/** A code change that was wanted and could not be made. */
const needsWork = ({ isThere, plan }: Found): boolean => !isThere && plan.changes.length === 0;

/** Never a broken project: a change that does not parse is a defect of ours, and nothing is written. */
function refuseBroken(plan: Plan): void {
  for (const { path, after } of plan.changes) {
    if (/\.[cm]?[jt]sx?$/.test(path) && treeOf(path, after) === undefined)
      throw new Error(`The change of ${path} would not parse; nothing was changed`);
  }
}

/** The diff goes to standard output, everything else to standard error: `init | git apply`. */
function say(io: Io, { directory }: Project, { plan, what }: Found): void {
  const paint = painter(io, io.stdout);
  const line = (text: string): void => void io.stderr.write(`${text}\n`);
  if (what !== undefined) line(`Found ${what}.`);
  for (const change of plan.changes) {
    for (const text of change.diff(directory).replace(/\n$/, '').split('\n'))
      io.stdout.write(`${coloured(paint, text)}\n`);
  }
  for (const note of plan.notes) line(`- ${note}`);
}

function sayWritten(io: Io, { directory }: Project, { plan, isThere }: Found, isWritten: boolean): void {
  const names = plan.changes.map(({ path }) => relative(directory, path)).join(', ');
  const nothing = isThere ? 'Nothing to change: lifesign is there already.' : 'Nothing to change.';
  const text = isWritten ? `Changed ${names}.` : `Nothing is written yet: --write changes ${names}.`;
  io.stderr.write(`${plan.changes.length === 0 ? nothing : text}
`);
}

function coloured(paint: ReturnType<typeof painter>, line: string): string {
  if (line.startsWith('@@') || line.startsWith('---') || line.startsWith('+++')) return paint('bold', line);
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}

export const command: Command = { help, run };
