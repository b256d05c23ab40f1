import { host } from '../core/runtime.js';
import type { Section } from './section.js';

/** Every section of docs/errors.md. They are read here while developing; scripts/build.mjs puts them in the place of this file. */
export function errorSections(): readonly Section[] {
  const require = host.getBuiltinModule?.('node:module').createRequire(import.meta.url);
  const made: { sectionsOf: (page: 'errors') => readonly Section[] } | undefined =
    require?.('../../scripts/sections.mjs');
  return made?.sectionsOf('errors') ?? [];
}
