import type { Logger } from '../../core/log.js';
import { errorCopy, textOf } from '../../core/scrub/scrub.js';
import { hasMethods, methods } from '../methods.js';

/** `console`, consola, loglevel, log4js or signale: a method for each level, which takes a text. Their `log` is left out: each means another thing. */
export type TextLoggerLike = Levels &
  (
    | Has<'dir' | 'table' | 'groupEnd'>
    | Has<'withTag' | 'mockTypes'>
    | Has<'setLevel' | 'getLevel'>
    | Has<'addContext' | 'isLevelEnabled'>
    | Has<'scope' | 'unscope'>
  );

type Has<Name extends string> = Readonly<Record<Name, unknown>>;

interface Levels {
  debug(...text: string[]): unknown;
  info(...text: string[]): unknown;
  warn(...text: string[]): unknown;
  error(...text: string[]): unknown;
  fatal?(...text: string[]): unknown;
}

/** Methods that only this library has beside those for the levels. */
const shapes: readonly (readonly string[])[] = [
  // console
  ['dir', 'table', 'group', 'groupEnd', 'assert'],
  // consola
  ['withTag', 'withDefaults', 'mockTypes', 'wrapConsole'],
  // loglevel
  ['setLevel', 'getLevel', 'setDefaultLevel', 'resetLevel'],
  // log4js
  ['addContext', 'clearContext', 'isLevelEnabled', 'isInfoEnabled'],
  // signale
  ['scope', 'unscope', 'addSecrets', 'timeEnd'],
];

export const isTextLogger = (value: unknown): value is TextLoggerLike =>
  hasMethods(value, 'debug', 'info', 'warn', 'error') && shapes.some((names) => hasMethods(value, ...names));

/** One line for each record: these loggers would spread an object over many. */
export function fromTextLogger(given: TextLoggerLike): Logger {
  return {
    log({ logger, level, fields, msg, error }) {
      const copy = errorCopy(error);
      const stack = copy instanceof Error ? copy.stack : undefined;
      const text = msg ?? (error === undefined ? undefined : textOf(error));
      const line = [`${logger}:`, ...(text === undefined ? [] : [text]), JSON.stringify(fields, exact)].join(
        ' ',
      );
      const method = methods[level];
      // Read now: consola and loglevel replace their methods when the level changes.
      const name = typeof given[method] === 'function' ? method : 'error';
      // Without further arguments, none of them looks for a placeholder such as %s.
      given[name]?.(stack === undefined ? line : `${line}\n${stack}`);
    },
  };
}

const exact = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
