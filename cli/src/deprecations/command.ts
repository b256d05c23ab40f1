import { parse } from '../../../src/command/arguments.js';
import type { Command } from '../../../src/command/command.js';
import { type Io, painter } from '../../../src/command/io.js';
import { printable, printableJson } from '../../../src/core/scrub/printable.js';
import { sourcesOf } from '../doctor/files.js';
import { type Use, usesIn } from './find.js';

const help = `Usage: lifesign-cli deprecations [FILE|DIRECTORY|-]... [options]

Lists old names of lifesign that a project still uses, with what to write
instead: options and types in code, and variables in code, .env files, Compose
files, Kubernetes manifests, Dockerfiles and scripts. Reads the current
directory by default. Exit code: 0 if there are none, 1 if there are, 2 for bad
usage.

Options
  --json   print as JSON
  --help   show this help

Examples
  lifesign-cli deprecations
  lifesign-cli deprecations src deploy .env
  helm template . | lifesign-cli deprecations -
`;

/** Code, and the places where variables are set. */
const kinds =
  /\.(?:[cm]?[jt]sx?|ya?ml|json|toml|ini|conf|properties|nomad|hcl|tf|tfvars|dockerfile|service|sh)$|(?:^|\.)(?:env|Dockerfile|Containerfile|Procfile)(?:\.|$)/i;
const maxFiles = 20_000;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const sources = await sourcesOf(positionals.length === 0 ? ['.'] : positionals, io, { kinds, maxFiles });
  const uses = sources.flatMap(({ name, text }) => usesIn(name, text));
  io.stdout.write(
    values.json ? printableJson({ files: sources.length, uses }) : report(uses, sources.length, io),
  );
  return uses.length === 0 ? 0 : 1;
}

function report(uses: readonly Use[], files: number, io: Io): string {
  const paint = painter(io, io.stdout);
  const rows = uses.map(
    ({ file, line, old, now, code }) =>
      `${paint('bold', printable(`${file}:${line}`))}  ${paint('yellow', old)} is now ${paint('green', now)}  ${paint('dim', code)}\n`,
  );
  const names = new Set(uses.map(({ old }) => old)).size;
  const total =
    names === 0 ? paint('green', 'no old names') : `${names} old ${names === 1 ? 'name' : 'names'}`;
  return `${rows.join('')}${files} ${files === 1 ? 'file' : 'files'}: ${total}\n`;
}

export const command: Command = { help, run };
