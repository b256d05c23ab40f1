import { parseArgs, type ParseArgsConfig, styleText } from 'node:util';
import { LifesignError, moreAbout, nearest, shown } from '../core/options/errors.js';
import { printable } from '../core/scrub/printable.js';
import { describe } from '../core/scrub/scrub.js';
import { timeExpected, parseTime } from './probe.js';

/** A stream to write to; process.stdout is one. `columns` and `rows`: the size of a terminal. */
export interface Output extends Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows'>> {
  write(text: string): unknown;
}

/** The environment of a command: tests pass their own. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export type Style = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

/** Colours a text for a terminal; leaves it alone in a pipe, a file, or under NO_COLOR. */
export function painter(io: Io, output: Output): (style: Style, text: string) => string {
  const colourful = output.isTTY === true && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb';
  return (style, text) => (colourful ? styleText(style, text, { validateStream: false }) : text);
}

/** A command of `lifesign`. */
export interface Command {
  readonly help: string;
  /** Returns the exit code. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** A command line with several commands: `lifesign` or `lifesign-cli`. */
export interface Program {
  readonly name: string;
  readonly version: string;
  /** Its purpose, in a line. */
  readonly about: string;
  /** Every command with its description, in the order of the help. */
  readonly summaries: readonly (readonly [name: string, summary: string])[];
  /** Printed below the commands. */
  readonly more?: string;
  /** Only the command that is called is loaded. */
  readonly commands: Readonly<Record<string, (() => Promise<{ readonly command: Command }>) | undefined>>;
  /** The program of the other package, and its commands. */
  readonly elsewhere: readonly [program: string, commands: readonly string[]];
}

/** The exit code of a command line: 0 good, 1 not, 2 misuse. */
export async function run(program: Program, args: readonly string[], io: Io): Promise<number> {
  const [name = '', ...rest] = args;
  const load = Object.hasOwn(program.commands, name) ? program.commands[name] : undefined;
  try {
    // `help wait` is `wait --help`.
    if (name === 'help' && rest.length > 0) return await run(program, [...rest, '--help'], io);
    if (name === '--help' || name === '-h' || name === 'help') return print(io, helpText(program));
    if (name === '--version') return print(io, `${program.version}\n`);
    if (name === '') {
      io.stderr.write(helpText(program));
      return 2;
    }
    if (load === undefined) {
      const [other, commands] = program.elsewhere;
      if (commands.includes(name)) {
        throw usageInvalid(`${name} is a command of ${other}: write npx ${other} ${name}`);
      }
      const known = program.summaries.map(([command]) => command);
      throw usageInvalid(`Unknown command ${JSON.stringify(name)}${didYouMean(name, known)}`);
    }
    const { command } = await load();
    if (rest.includes('--help') || rest.includes('-h')) return print(io, command.help);
    return await command.run(rest, io);
  } catch (thrown) {
    const page = [program.name, ...(load === undefined ? [] : [name]), '--help'].join(' ');
    io.stderr.write(`${program.name}: ${problemText(thrown, page)}`);
    return 2;
  }
}

function helpText({ name, about, summaries, more: below = '' }: Program): string {
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
function problemText(thrown: unknown, page: string): string {
  if (!(thrown instanceof LifesignError)) return `${printable(describe(thrown))}\n`;
  const { code, message } = thrown;
  if (code === 'LIFESIGN_USAGE') return `${printable(`${message} See ${page}. (${code})`)}\n`;
  return `${printable(`${message} (${code})`)}\n${moreAbout(code)}\n`;
}

/** The options and positional arguments of a command; unknown ones are refused. */
export function parse<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (thrown) {
    // Node adds advice about `--` that does not help here.
    const [sentence = ''] = String(thrown instanceof Error ? thrown.message : thrown).split('. ');
    const option = /^Unknown option '--?([^'=]+)/.exec(sentence)?.[1];
    const known = Object.keys(config.options ?? {});
    const hint = option === undefined ? '' : didYouMean(option, known, '--');
    throw usageInvalid(`${sentence.replace(/\.$/, '')}${hint}`);
  }
}

/** `; did you mean --timeout?` for a word that is close to a known one; else empty. */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** A time of the command line in milliseconds: `500ms` or `3s`. */
export function duration(option: string, text: string): number {
  const value = parseTime(text);
  if (value !== undefined) return value;
  throw usageInvalid(`${option} is ${JSON.stringify(text)}; ${timeExpected}`);
}

export const fileUnusable = (file: string, verb: 'read' | 'written', cause: string) =>
  new LifesignError(
    'LIFESIGN_FILE',
    `${file} cannot be ${verb}: ${cause}. Check its name, its directory and its permissions.`,
  );

export const urlInvalid = (source: string, value: string, expects: string) =>
  new LifesignError('LIFESIGN_URL', `${source} is ${shown(value)}; it must be ${expects}.`);

/** A mistake in a command line. `run`, which knows the program, adds the command that shows the help. */
export const usageInvalid = (problem: string) => new LifesignError('LIFESIGN_USAGE', `${problem}.`);
