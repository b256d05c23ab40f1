import { environment } from '../runtime.js';
import { variableOf, variablesOf } from './read-options.js';
import { features } from './features.js';
import { optionInvalid, portInvalid, slips } from './errors.js';
import { coreOptions } from './options.js';
import { integer, text } from './rules.js';

const prefix = 'HEALTH_';

/** Variables that do not belong to options of a Health: settings-style frameworks, `lifesign/auto`, the default logger, workers. */
const others = [
  'AUTO',
  'AUTO_PORT',
  'CHECKS',
  'CONFIG',
  'FILE',
  'LOG_FORMAT',
  'LOG_TO',
  'VERSION_CALLBACK',
  'WORKER',
];

function knownVariables(): readonly string[] {
  return [
    ...variablesOf(coreOptions),
    ...Object.values(features).flatMap((feature) => [
      variableOf(feature.name),
      ...variablesOf(feature.parts, (part) => `${feature.name}.${part}`),
    ]),
    ...others.map((name) => `${prefix}${name}`),
  ];
}

/**
 * The warnings about variables whose names are close to one that is read: a slip of two letters, or the same words with others among them.
 * Those that are not close belong to other programs.
 */
export function misspeltVariables(): readonly string[] {
  const given = Object.keys(environment()).filter((variable) => variable.startsWith(prefix));
  if (given.length === 0) return [];
  const names = knownVariables();
  return given
    .filter((variable) => !names.includes(variable))
    .flatMap((variable) => {
      const meant = names.find((name) => isClose(variable, name));
      return meant === undefined ? [] : [`${variable} is set, but nothing reads it. Did you mean ${meant}?`];
    });
}

function isClose(given: string, known: string): boolean {
  const words = wordsOf(known);
  const givenWords = new Set(wordsOf(given));
  return (words.length > 1 && words.every((word) => givenWords.has(word))) || slips(given, known) <= 2;
}

const wordsOf = (variable: string) => variable.slice(prefix.length).split('_');

/**
 * Where to listen: on `HOST`, every IPv4 interface when it is unset, and on `PORT`, 8000 when it is unset. An argument
 * wins: `listenOptions({ host: '::' })` listens on IPv6 as well.
 *
 * @example app.listen(listenOptions());
 */
export function listenOptions(given: { readonly host?: string | undefined } = {}): {
  host: string;
  port: number;
} {
  if (given.host !== undefined && !text.accepts(given.host)) {
    throw optionInvalid(
      'Option host of listenOptions',
      given.host,
      'an IP address or a host name',
      'Fix it, or omit it to use the default (0.0.0.0).',
    );
  }
  return { host: given.host ?? usualHost(), port: portIn('PORT') ?? usualPort };
}

/** The port without an option and a variable. @internal */
export const usualPort = 8000;

/** The port in a variable; undefined if it is not set. @internal */
export function portIn(variable: 'PORT' | 'HEALTH_PORT'): number | undefined {
  const raw = environment()[variable] ?? '';
  if (raw === '') return undefined;
  const rule = integer(0, 65_535);
  const port = rule.fromText?.(raw);
  if (!rule.accepts(port)) throw portInvalid(raw, variable);
  return port;
}

/** `HOST`, or every IPv4 interface. @internal */
export function usualHost(): string {
  return environment()['HOST'] || '0.0.0.0';
}
