import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { commitMissing, fileUnusable, usageInvalid } from './errors.js';
import { describe } from '../core/scrub/scrub.js';
import { printable, printableJson } from '../core/scrub/printable.js';
import { fields, findIdentity, type Found, withoutCredentials } from './identity.js';
import { type Command, didYouMean, type Io, painter, parse } from './program.js';

const help = `Usage: lifesign version [options]

Writes version.json (commit, version, source, build) from the variables of the
CI provider, git and package.json, in this order. Run it at build time.

Options
  --out FILE         output file; - is standard output    (default version.json)
  --set KEY=VALUE    set any field; repeatable; an empty VALUE sets nothing
  --help             show this help

CI providers: GitHub Actions, GitLab CI, Jenkins. Elsewhere git knows all but
the build: --set build=URL. A tag v1.2.3 is version 1.2.3.

Example
  lifesign version --out dist/version.json --set environment=production
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse({
    args: [...args],
    options: {
      out: { type: 'string', default: 'version.json' },
      set: { type: 'string', multiple: true, default: [] },
    },
  });
  // A build argument that was not given arrives as an empty value.
  const assigned = values.set.map(assignment);
  const given = new Map(assigned.filter(([, value]) => value !== ''));
  const set = new Map([...given].map(([key, value]) => [key, withoutCredentials(key, value)]));
  const found = await findIdentity(io.cwd, io.env);
  const version = new Map<string, string>();
  for (const field of fields) {
    const value = set.get(field) ?? found.identity[field];
    if (value !== undefined) version.set(field, value);
  }
  if (!version.has('commit')) throw commitMissing(found);
  for (const [key, value] of set) version.set(key, value);

  const json = printableJson(Object.fromEntries(version));
  if (values.out === '-') io.stdout.write(json);
  else await write(resolve(io.cwd, values.out), values.out, json);
  const stripped = [...given]
    .filter(([key, value]) => set.get(key) !== value)
    .map(([key]) => `--set ${key}: credentials were removed because version.json is public`);
  const misspelled = assigned.flatMap(([key]) => unknownField(key));
  io.stderr.write(
    summary(io, values.out, version, found) + warnings(io, version, found, [...misspelled, ...stripped]),
  );
  return 0;
}

function assignment(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw usageInvalid(`--set takes KEY=VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** Any field may be set; one that is nearly a known one is most likely misspelled. */
function unknownField(key: string): readonly string[] {
  const hint = fields.some((field) => field === key) ? '' : didYouMean(key, fields);
  return hint === '' ? [] : [`--set ${key}: unknown field, written as it is${hint}`];
}

/** Whole or not at all: a service may be reading the file. */
async function write(file: string, shown: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    // Never through a link, which another user may have put there.
    await writeFile(draft, text, { flag: 'wx' });
    await rename(draft, file);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw fileUnusable(shown, 'written', describe(thrown));
  }
}

function summary(io: Io, out: string, version: ReadonlyMap<string, string>, found: Found): string {
  const origin = found.provider ?? (found.identity.commit === undefined ? '--set' : 'git');
  const target = out === '-' ? 'standard output' : out;
  const label = [version.get('version'), version.get('commit')?.slice(0, 12)].filter(Boolean).join(' ');
  return `${painter(io, io.stderr)('green', 'wrote')} ${printable(`${target}: ${label} (from ${origin})`)}\n`;
}

function warnings(
  io: Io,
  version: ReadonlyMap<string, string>,
  { git }: Found,
  ofSet: readonly string[],
): string {
  const missing = fields.filter((field) => !version.has(field));
  const lines = [
    ...ofSet,
    ...(git.refusal !== undefined && missing.some((field) => field !== 'build')
      ? [`git did not answer: ${git.refusal}`]
      : []),
    ...missing.map((field) => `${field} was not found; set it with --set ${field}=VALUE`),
  ];
  return lines.map((line) => `${painter(io, io.stderr)('yellow', printable(line))}\n`).join('');
}

export const command: Command = { help, run };
