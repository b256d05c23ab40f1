import { LifesignError } from '../core/options/errors.js';
import { moreAbout } from '../core/help.js';
import { describe } from '../core/scrub/scrub.js';
import { commands, summaries } from './commands.js';
import { usageInvalid } from './errors.js';
import type { Io } from './io.js';
import { printable } from '../core/scrub/printable.js';

const help = `Usage: lifesign COMMAND [options]

Health and build identity of a web service in a container.

Commands
${summaries.map(([name, summary]) => `  ${name.padEnd(10)} ${summary}`).join('\n')}

  lifesign COMMAND --help   options and examples of a command
  lifesign --version        the version of lifesign
`;

/** Not among the others: it asks them for their options. */
const all: typeof commands = { ...commands, completion: () => import('./completion/command.js') };

/** Runs a command line and leaves its exit code in `process.exitCode`: 0 good, 1 not, 2 misuse. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  // The reader of our output may stop early: `lifesign verify … | head`.
  if (args[0] !== 'serve') for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.exitCode = await run(args, { stdout, stderr, stdin, env, cwd: process.cwd() });
  // A connection or a client that is still open would keep the process alive.
  if (args[0] !== 'serve' || process.exitCode === 2) {
    stdout.write('', () => stderr.write('', () => process.exit()));
  }
}

/** The exit code of a command line. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args;
  try {
    if (name === '--help' || name === '-h' || name === 'help') return print(io, help);
    if (name === '--version') return print(io, `${await ownVersion()}\n`);
    if (name === '') {
      io.stderr.write(help);
      return 2;
    }
    const load = Object.hasOwn(all, name) ? all[name] : undefined;
    if (load === undefined) throw usageInvalid(`Unknown command ${JSON.stringify(name)}`, '');
    const { command } = await load();
    if (rest.includes('--help') || rest.includes('-h')) return print(io, command.help);
    return await command.run(rest, io);
  } catch (thrown) {
    io.stderr.write(`lifesign: ${printable(messageOf(thrown))}\n${more(thrown)}`);
    return 2;
  }
}

function print(io: Io, text: string): number {
  io.stdout.write(text);
  return 0;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof LifesignError ? `${thrown.message} (${thrown.code})` : describe(thrown);
}

/** A mistake in the command line names its help page already. */
function more(thrown: unknown): string {
  if (!(thrown instanceof LifesignError) || thrown.code === 'LIFESIGN_USAGE') return '';
  return `${moreAbout(thrown.code)}\n`;
}

async function ownVersion(): Promise<string> {
  const { createRequire } = await import('node:module');
  const { version }: { version?: unknown } = createRequire(import.meta.url)('lifesign/package.json');
  return String(version);
}
