import { parse } from '../arguments.js';
import type { Command } from '../command.js';
import { usageInvalid } from '../errors.js';
import { help as probeHelp } from '../probe-help.js';
import type { Io } from '../io.js';
import { commands, summaries } from '../commands.js';
import { scripts, type Described } from './scripts.js';

const help = `Usage: lifesign completion bash|zsh|fish

Prints a script that completes commands and options in your shell.

Examples
  lifesign completion bash >> ~/.bashrc
  lifesign completion zsh > "\${fpath[1]}/_lifesign"
  lifesign completion fish > ~/.config/fish/completions/lifesign.fish
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { positionals } = parse('completion', { args: [...args], allowPositionals: true, options: {} });
  const [shell = '', ...more] = positionals;
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined || more.length > 0) {
    throw usageInvalid(`Name a shell: ${Object.keys(scripts).join(', ')}`, 'completion');
  }
  const described: Described[] = [];
  for (const [name, summary] of summaries) {
    const page = name === 'probe' ? probeHelp : (await commands[name]?.())?.command.help;
    described.push({ name, summary, options: optionsIn(page ?? '') });
  }
  io.stdout.write(script(described));
  return 0;
}

/** The options of a command are what its help says they are; several on a line share its text. */
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

/** Without its default, and without what shells read their own way. */
function plainText(text: string): string {
  const [before = ''] = text.split('(default');
  return before
    .replace(/['"`$\\[\]:]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

export const command: Command = { help, run };
