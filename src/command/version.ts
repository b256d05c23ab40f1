import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LifesignError } from '../core/options/errors.js';
import { printable, printableJson } from '../core/scrub/printable.js';
import { describe } from '../core/scrub/scrub.js';
import { fields, findIdentity, withoutCredentials } from './identity.js';
import { type Command, didYouMean, fileUnusable, type Io, parse, usageInvalid } from './program.js';

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
  const warnings: string[] = [];
  const set = new Map<string, string>();
  for (const [key, value] of values.set.map(assignment)) {
    // Any field may be set; one that is nearly a known one is most likely misspelled.
    const hint = fields.some((field) => field === key) ? '' : didYouMean(key, fields);
    if (hint !== '') warnings.push(`--set ${key}: unknown field, written as it is${hint}`);
    // A build argument that was not given arrives as an empty value.
    if (value === '') continue;
    const shown = withoutCredentials(value);
    if (shown !== value)
      warnings.push(`--set ${key}: credentials were removed because version.json is public`);
    set.set(key, shown);
  }
  const { identity, provider, refusal } = await findIdentity(io.cwd, io.env);
  const known = fields.map((field) => [field, set.get(field) ?? identity[field]] as const);
  const missing = fields.filter((_field, index) => known[index]?.[1] === undefined);
  if (missing.includes('commit')) throw commitMissing(provider, refusal);
  if (refusal !== undefined && missing.some((field) => field !== 'build'))
    warnings.push(`git did not answer: ${refusal}`);
  for (const field of missing) warnings.push(`${field} was not found; set it with --set ${field}=VALUE`);

  const version = Object.fromEntries([...known, ...set]);
  const json = printableJson(version);
  if (values.out === '-') io.stdout.write(json);
  else {
    await writeFile(resolve(io.cwd, values.out), json).catch((thrown: unknown) => {
      throw fileUnusable(values.out, 'written', describe(thrown));
    });
  }
  const origin = provider ?? (identity.commit === undefined ? '--set' : 'git');
  const target = values.out === '-' ? 'standard output' : values.out;
  const label = [version['version'], version['commit']?.slice(0, 12)].filter(Boolean).join(' ');
  const lines = [`wrote ${target}: ${label} (from ${origin})`, ...warnings];
  for (const line of lines) io.stderr.write(`${printable(line)}\n`);
  return 0;
}

function assignment(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw usageInvalid(`--set takes KEY=VALUE, not ${JSON.stringify(text)}`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** `refusal` is what git says when it does not answer. */
function commitMissing(provider: string | undefined, refusal: string | undefined): LifesignError {
  const ci = provider === undefined ? 'no CI provider was detected' : `${provider} did not provide it`;
  const git =
    refusal === undefined
      ? 'this directory is not in a git repository with a commit (or git is not installed)'
      : `git did not answer: ${refusal}`;
  return new LifesignError(
    'LIFESIGN_COMMIT_MISSING',
    `No commit found: ${ci}, and ${git}. Set it yourself: lifesign version --set commit=COMMIT. In a Dockerfile write ARG COMMIT and ` +
      'RUN lifesign version --set commit=$COMMIT, and build with docker build --build-arg COMMIT=$(git rev-parse HEAD) .',
  );
}

export const command: Command = { help, run };
