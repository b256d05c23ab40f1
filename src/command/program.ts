import { LifesignError } from '../core/options/errors.js';
import { moreAbout } from '../core/help.js';
import { describe } from '../core/scrub/scrub.js';
import { printable } from '../core/scrub/printable.js';
import type { Command } from './command.js';
import { didYouMean } from './arguments.js';
import { usageInvalid } from './errors.js';
import type { Io } from './io.js';

/** A command line with several commands: `lifesign` or `lifesign-cli`. */
export interface Program {
  readonly name: string;
  readonly version: string;
  /** Its purpose, in a sentence. */
  readonly about: string;
  /** Every command with its description, in the order of the help. */
  readonly summaries: readonly (readonly [name: string, summary: string])[];
  /** Printed below the commands. */
  readonly more?: string;
  /** Only the command that is asked for is loaded. */
  readonly commands: Readonly<Record<string, (() => Promise<{ readonly command: Command }>) | undefined>>;
  /** Runs a command of the other package; undefined if the name is none of its commands. */
  readonly elsewhere: (args: readonly string[], io: Io) => Promise<number> | undefined;
}

/** The exit code of a command line: 0 good, 1 not, 2 misuse. */
export async function run(program: Program, args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  try {
    // `help wait` is `wait --help`.
    if (name === 'help' && rest.length > 0) return await run(program, [...rest, '--help'], io);
    if (name === '--help' || name === '-h' || name === 'help') return print(io, helpOf(program));
    if (name === '--version') return print(io, `${program.version}\n`);
    if (name === '') {
      io.stderr.write(helpOf(program));
      return 2;
    }
    if (load === undefined) {
      const code = await program.elsewhere(args, io);
      if (code !== undefined) return code;
      throw usageInvalid(
        `Unknown command ${JSON.stringify(name)}${didYouMean(name, Object.keys(program.commands))}`,
      );
    }
    const { command } = await load();
    if (rest.includes('--help') || rest.includes('-h')) return print(io, command.help);
    return await command.run(rest, io);
  } catch (thrown) {
    const page = [program.name, ...(load === undefined ? [] : [name]), '--help'].join(' ');
    io.stderr.write(`${program.name}: ${printable(sentenceOf(thrown, page))}\n${more(thrown)}`);
    return 2;
  }
}

function helpOf({ name, about, summaries, more: below = '' }: Program): string {
  return `Usage: ${name} COMMAND [options]

${about}

Commands
${summaries.map(([command, summary]) => `  ${command.padEnd(10)} ${summary}`).join('\n')}
${below}
  ${name} COMMAND --help   options and examples of a command
  ${name} --version        the version of ${name}
`;
}

function print(io: Io, text: string): number {
  io.stdout.write(text);
  return 0;
}

/** `page` is the command that prints the help for the misused command. */
function sentenceOf(thrown: unknown, page: string): string {
  if (!(thrown instanceof LifesignError)) return describe(thrown);
  const help = thrown.code === 'LIFESIGN_USAGE' ? ` See ${page}.` : '';
  return `${thrown.message}${help} (${thrown.code})`;
}

/** A mistake in the command line names its help page already. */
function more(thrown: unknown): string {
  if (!(thrown instanceof LifesignError) || thrown.code === 'LIFESIGN_USAGE') return '';
  return `${moreAbout(thrown.code)}\n`;
}
