import { parse } from '../../../src/command/arguments.js';
import type { Command } from '../../../src/command/command.js';
import { usageInvalid } from '../../../src/command/errors.js';
import { help as probeHelp } from '../../../src/command/probe-help.js';
import type { Io } from '../../../src/command/io.js';
import { commands as runtimeCommands, summaries as runtimeSummaries } from '../../../src/command/commands.js';
import type { Program } from '../../../src/command/program.js';
import { commands, summaries } from '../commands.js';
import { type Completed, type Described, scripts } from './scripts.js';

const help = `Usage: lifesign-cli completion bash|zsh|fish

Prints a script that completes the commands and options of lifesign-cli and
lifesign in your shell.

Examples
  lifesign-cli completion bash >> ~/.bashrc
  lifesign-cli completion zsh > "\${fpath[1]}/_lifesign"
  lifesign-cli completion fish > ~/.config/fish/conf.d/lifesign.fish
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { positionals } = parse({ args: [...args], allowPositionals: true, options: {} });
  const [shell = '', ...more] = positionals;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined || more.length > 0) {
    throw usageInvalid(`Name a shell: ${Object.keys(scripts).join(', ')}`);
  }
  io.stdout.write(
    script([
      await completed('lifesign-cli', summaries, commands),
      await completed('lifesign', runtimeSummaries, runtimeCommands),
    ]),
  );
  return 0;
}

async function completed(
  program: string,
  known: Program['summaries'],
  load: Program['commands'],
): Promise<Completed> {
  const described: Described[] = [];
  for (const [name, summary] of known) {
    // `completion` cannot load itself, and has no options; `probe` is a program of its own.
    const page = name === 'probe' ? probeHelp : (await load[name]?.())?.command.help;
    described.push({ name, summary, options: optionsIn(page ?? '') });
  }
  return { program, commands: described };
}

/** The options of a command are read from its help; several on a line share its text. */
function optionsIn(page: string): Described['options'] {
  const lines = page.matchAll(/^ {2}(--[a-z-]+(?:[ =]\[?[A-Z]+\]?)?(?:, --[a-z-]+)*)(?: +([^\n]*))?$/gm);
  return [...lines].flatMap(([, names = '', text = '']) =>
    names.split(', ').map((name) => ({
      name: /^[a-z-]+/.exec(name)?.[0] ?? '',
      takesValue: /[A-Z]/.test(name),
      text: plainText(text),
    })),
  );
}

/** Without its default, and without characters that shells interpret. */
function plainText(text: string): string {
  const [before = ''] = text.split('(default');
  return before
    .replace(/['"`$\\[\]:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export const command: Command = { help, run };
