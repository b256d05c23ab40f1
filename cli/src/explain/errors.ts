import type { Section } from '../../../src/tools.js';

/** Every section of docs/errors.md. They are read here while developing; scripts/build.mjs puts them in the place of this file. */
export function errorSections(): readonly Section[] {
  const { createRequire } = process.getBuiltinModule('node:module');
  const made: { sectionsOf: (page: 'errors') => readonly Section[] } = createRequire(import.meta.url)(
    '../../../scripts/sections.mjs',
  );
  return made.sectionsOf('errors');
}
