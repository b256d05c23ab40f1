import { host } from '../core/runtime.js';
import type { Section } from './section.js';

/** Every section of docs/messages.md. They are read here while developing; scripts/build.mjs puts them in the place of this file. */
export function messageSections(): readonly Section[] {
  const require = host.getBuiltinModule?.('node:module').createRequire(import.meta.url);
  const made: { sectionsOf: (page: 'messages') => readonly Section[] } | undefined =
    require?.('../../scripts/sections.mjs');
  return made?.sectionsOf('messages') ?? [];
}
