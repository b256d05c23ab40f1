import { codeOf } from '../../../src/core/options/deprecation.js';
import { renamed } from '../../../src/core/options/renamed.js';
import { oldVariables, variableOf } from '../../../src/core/options/read-option.js';
import type { Section } from '../../../src/explain/section.js';
import { oldDrain } from '../deprecations/drain-calls.js';
import { renamedExports } from '../deprecations/find.js';

/** A section for each code of a deprecation warning: its old names and their replacements. */
export function deprecationSections(): readonly Section[] {
  const rows: readonly (readonly [old: string, now: string, code: string])[] = [
    ...Object.entries(renamed).map(([old, [code, now]]) => [old, now, codeOf(code)] as const),
    ...Array.from(oldVariables, ([old, [option, code]]) => [old, variableOf(option), codeOf(code)] as const),
    ...Object.entries(renamedExports).map(([old, [code, now]]) => [old, now, codeOf(code)] as const),
    [oldDrain.old, oldDrain.now, oldDrain.code],
  ];
  const codes = new Set(rows.map(([, , code]) => code));
  return [...codes].toSorted().map((id) => {
    const own = rows.filter(([, , code]) => code === id);
    return {
      id,
      title: `Old names that still work: ${own.map(([old]) => old).join(', ')}`,
      blocks: [
        {
          kind: 'paragraph',
          pieces: ['These old names still work, with one warning in each process. Write the new ones:'],
        },
        ...own.map(([old, now]) => ({
          kind: 'item' as const,
          pieces: [['code', old] as const, ' is now ', ['code', now] as const],
        })),
        {
          kind: 'paragraph',
          pieces: [['code', 'npx lifesign-cli deprecations'], ' lists those that a project still uses.'],
        },
      ],
    };
  });
}
