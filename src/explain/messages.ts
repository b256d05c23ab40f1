import type { Section } from './section.js';

/** Every section of docs/messages.md. They are read here while developing; scripts/build.mjs puts them in the place of this file. */
export function messageSections(): readonly Section[] {
  const { createRequire } = process.getBuiltinModule('node:module');
  const made: { sectionsOf: (page: 'messages') => readonly Section[] } = createRequire(import.meta.url)(
    '../../scripts/sections.mjs',
  );
  return made.sectionsOf('messages');
}
