import type { LogRecord } from '../core/log.js';
import { type LevelName, levels } from '../core/heartbeat/messages.js';
import { printable } from '../core/scrub/printable.js';
import { scalarText, formatTraceback } from './formatter.js';

const colours = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Paint = (colour: keyof typeof colours, text: string) => string;

const plain: Paint = (_colour, text) => text;
const coloured: Paint = (colour, text) => `\u001B[${colours[colour]}m${text}\u001B[0m`;

/** Fields that a summary shows in another form, or not at all on a terminal. */
const summaryFields = ['errno', 'agent', 'lang', 'method', 'path', 'code', 'uid', 'rid', 't'];

/** Records as short lines for a developer's terminal. Untrusted text is escaped. */
export class PrettyFormatter {
  readonly #paint: Paint;

  constructor(colourful: boolean) {
    this.#paint = colourful ? coloured : plain;
  }

  format(record: LogRecord): string {
    const { logger, fields, msg } = record;
    const { traceback, ...rest } = fields;
    const line =
      logger === 'request.summary' && 'method' in fields
        ? this.#summary(rest, msg)
        : logger === 'health.checks' && 'check' in fields
          ? this.#finding(record.level, rest, msg)
          : this.#other(record, rest);
    const stack = record.error === undefined ? traceback : formatTraceback(record.error, logger);
    return `${this.#paint('dim', clock(record.time))} ${line}${stack === undefined ? '' : this.#indented(stack)}`;
  }

  #summary(fields: Fields, msg: string | undefined): string {
    const { method, path, code, t } = fields;
    const words = [
      shown(method),
      shown(path),
      this.#paint(statusColour(Number(code)), shown(code)),
      this.#paint('dim', `${shown(t)} ms`),
      ...(msg === undefined ? [] : [this.#paint('red', shown(msg))]),
    ];
    return words.join(' ') + this.#more(fields, summaryFields);
  }

  #finding(level: number, fields: Fields, msg = ''): string {
    const { check, hint } = fields;
    const advice = hint === undefined ? '' : ` ${this.#paint('dim', `(hint: ${shown(hint)})`)}`;
    return `${this.#level(level)} ${shown(check)} ${shown(msg)}${advice}${this.#more(fields, ['check', 'hint', 'rid'])}`;
  }

  #other({ logger, level, msg }: LogRecord, fields: Fields): string {
    const text = msg === undefined ? '' : ` ${shown(msg)}`;
    return `${this.#level(level)} ${shown(logger)}${text}${this.#more(fields, ['rid'])}`;
  }

  #level(level: number): string {
    const colour = level >= levels.error ? 'red' : level >= levels.warning ? 'yellow' : 'cyan';
    return this.#paint(colour, levelWord(level));
  }

  #more(fields: Fields, printed: readonly string[]): string {
    return Object.entries(fields)
      .filter(([key]) => !printed.includes(key))
      .map(([key, value]) => ` ${this.#paint('dim', `${shown(key)}=`)}${shown(value)}`)
      .join('');
  }

  /** A line of an error's message must not pass for a record. */
  #indented(stack: unknown): string {
    return scalarText(stack)
      .split('\n')
      .map((line) => `\n  ${this.#paint('dim', printable(line))}`)
      .join('');
  }
}

type Fields = Readonly<Record<string, unknown>>;

const shown = (value: unknown) => printable(scalarText(value));

function levelWord(level: number): LevelName | 'debug' {
  const names: readonly LevelName[] = ['critical', 'error', 'warning', 'info'];
  return names.find((name) => level >= levels[name]) ?? 'debug';
}

function statusColour(code: number): keyof typeof colours {
  if (code >= 500) return 'red';
  if (code >= 400) return 'yellow';
  return code >= 300 ? 'cyan' : 'green';
}

function clock(time: number): string {
  const date = new Date(time);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
