import { codeOf } from '../../../src/core/options/deprecation.js';
import { renamed } from '../../../src/core/options/renamed.js';
import { oldVariables, variableOf } from '../../../src/core/options/read-option.js';
import { oldDrain, oldDrainsIn } from './drain-calls.js';

/** Old names of exported types and their members, which only the compiler marks. */
export const renamedExports = {
  ExtensionOptions: [4, 'HealthOptions'],
  WorkerOptions: [4, 'HealthOptions'],
  mayBeLate: [4, 'deferrable'],
} as const;

/** An old name in a file. */
export interface Use {
  readonly file: string;
  /** From 1 on. */
  readonly line: number;
  readonly old: string;
  readonly now: string;
  readonly code: string;
}

/** The patterns to look for: in every file, or only in code that uses lifesign. */
interface Old extends Pick<Use, 'old' | 'now' | 'code'> {
  readonly pattern: RegExp;
  readonly onlyInCode: boolean;
}

/** An option in an object, or one that is read from the options of a Health. A scope such as `probes` is not looked at. */
const asOption = (name: string) =>
  new RegExp(`\\boptions\\??\\.${name}\\b|(?<![\\w$.])(["']?)${name}\\1(?=\\s*[:,}])`);
const asWord = (name: string) => new RegExp(`(?<![\\w$])${name}(?![\\w$])`);
const withoutScope = (path: string) => path.replace(/^(?:probes|check|drainOnSignals)\./, '');

const options = new Map<string, Old>(
  Object.entries(renamed).map(([path, [code, now]]) => {
    const old = withoutScope(path);
    return [
      old,
      { old, now: withoutScope(now), code: codeOf(code), pattern: asOption(old), onlyInCode: true },
    ];
  }),
);

const all: readonly Old[] = [
  ...options.values(),
  ...Object.entries(renamedExports).map(([old, [code, now]]) => ({
    old,
    now,
    code: codeOf(code),
    pattern: asWord(old),
    onlyInCode: true,
  })),
  ...Array.from(oldVariables, ([old, [option, code]]) => ({
    old,
    now: variableOf(option),
    code: codeOf(code),
    pattern: asWord(old),
    onlyInCode: false,
  })),
];

const isCode = /\.[cm]?[jt]sx?$/i;
/** Its JSON has options of checks wherever the variable is set. */
const hasCheckOptions = /HEALTH_CHECK_OPTIONS/;

/** The old names in a file, line by line. */
export function usesIn(file: string, text: string): readonly Use[] {
  const usesLifesign = isCode.test(file) && /\blifesign\b/.test(text);
  const asked = all.filter(
    ({ old, onlyInCode }) =>
      text.includes(old) && (!onlyInCode || usesLifesign || hasCheckOptions.test(text)),
  );
  const calls = usesLifesign ? oldDrainsIn(text) : [];
  if (asked.length === 0 && calls.length === 0) return [];
  return text.split('\n').flatMap((row, index) => {
    const inCode = usesLifesign || hasCheckOptions.test(row);
    const line = index + 1;
    const names = asked.filter(({ pattern, onlyInCode }) => (inCode || !onlyInCode) && pattern.test(row));
    return [...(calls.includes(line) ? [oldDrain] : []), ...names].map(({ old, now, code }) => ({
      file,
      line,
      old,
      now,
      code,
    }));
  });
}
