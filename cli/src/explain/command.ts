import {
  type Command,
  find,
  helpFor,
  homepage,
  type Io,
  meant,
  messageSections,
  painter,
  parse,
  plainText,
  type Section,
  silencing,
  usageInvalid,
} from '../../../src/tools.js';
import { errorSections } from './errors.js';
import { ruleSections } from './rules.js';
import { kindOf } from '../verify/rule.js';
import { textOf } from './text.js';

const help = `Usage: lifesign-cli explain ID... [options]

Explains a message id, an error code, or a rule of verify or doctor, offline and
for this version: what it means, what usually causes it, and how to fix it.
Exit code: 0, or 2 for an unknown id.

Options
  --list   every id with its meaning
  --json   print as JSON
  --help   show this help

Examples
  lifesign-cli explain E001
  lifesign-cli explain heartbeat.vary
  lifesign-cli explain E012 LIFESIGN_OPTION_INVALID
  lifesign-cli explain --list
`;

/** Longer lines are hard to read. */
const maxWidth = 100;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options: { list: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
  });
  const sections = [...messageSections, ...errorSections, ...ruleSections];
  if (values.list) {
    if (positionals.length > 0) throw usageInvalid('--list takes no id');
    io.stdout.write(values.json ? json(sections) : listOf(sections, io));
    return 0;
  }
  if (positionals.length === 0) throw usageInvalid('Name a message id, an error code or a rule');
  const asked = positionals.map(
    (given) => find(sections, given) ?? find(sections, kindOf(given)) ?? unknown(sections, given),
  );
  io.stdout.write(values.json ? json(asked) : pageOf(asked, io));
  return 0;
}

function unknown(sections: readonly Section[], given: string): never {
  const id = JSON.stringify(given);
  // Ids like `shop.E001` are explained by the application that returns them.
  if (/^(?!health\.|lifesign)[\w-]+\./i.test(given)) {
    throw usageInvalid(`${id} is not an id of lifesign, but of the application that reports it`);
  }
  const near = meant(sections, given);
  const hint = near === undefined ? 'lifesign-cli explain --list shows all of them' : `did you mean ${near}?`;
  throw usageInvalid(`Unknown id ${id}; ${hint}`);
}

function pageOf(sections: readonly Section[], io: Io): string {
  const width = Math.min(io.stdout.columns ?? maxWidth, maxWidth);
  const paint = painter(io, io.stdout);
  return sections.map((section) => textOf(section, paint, width) + address(section)).join('\n\n');
}

const address = ({ id }: Section) => (homepage === '' ? '' : `\n${helpFor(id)}\n`);

function listOf(sections: readonly Section[], io: Io): string {
  const paint = painter(io, io.stdout);
  const width = Math.max(...sections.map(({ id }) => id.length));
  return sections.map(({ id, title }) => `${paint('bold', id.padEnd(width))}  ${title}\n`).join('');
}

function json(sections: readonly Section[]): string {
  const data = sections.map(({ id, title, blocks }) => {
    const silence = silencing(id);
    return {
      id,
      title,
      text: blocks.map(({ kind, pieces }) => (kind === 'item' ? '- ' : '') + plainText(pieces)).join('\n'),
      ...(silence !== undefined && { silence: plainText(silence.pieces) }),
      ...(homepage !== '' && { url: helpFor(id) }),
    };
  });
  return `${JSON.stringify(data, undefined, 2)}\n`;
}

export const command: Command = { help, run };
