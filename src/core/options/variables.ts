import { attempt, environment } from '../runtime.js';
import { variablesOf } from './declaration.js';
import { partOption } from './feature-options.js';
import { features } from './features.js';
import { slips } from './nearest.js';
import { coreOptions } from './options.js';
import { variableOf } from './read-option.js';

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
  'SOCKET',
  'VERSION_CALLBACK',
  'WORKER',
];

/** Every variable that lifesign reads. */
export function knownVariables(): readonly string[] {
  return [
    ...variablesOf(coreOptions),
    ...Object.values(features).flatMap((feature) => [
      variableOf(feature.name),
      // Those that an edge worker cannot have throw.
      ...(attempt(() => variablesOf(feature.parts, (part) => partOption(feature, part))) ?? []),
    ]),
    ...others.map((name) => `${prefix}${name}`),
  ];
}

/**
 * The warnings about variables whose names are close to one that is read: a slip of two letters, or the same words with others among them.
 * Those that are not close belong to other programs.
 */
export function misspeltVariables(): readonly string[] {
  const names = knownVariables();
  return Object.keys(environment())
    .filter((variable) => variable.startsWith(prefix) && !names.includes(variable))
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
