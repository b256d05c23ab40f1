import { isExplained, moreAbout } from '../../../src/core/help.js';
import { explanation } from '../../../src/page/content/explanation.js';
import { markup, type Slot } from '../../../src/page/content/html.js';
import type { Service } from './fleet.js';

/** Messages that a view explains: a failing fleet has the same few everywhere. */
const maxExplained = 5;

/** The ids of lifesign's own messages with a check that reports each, the sickest instances first. */
function messagesOf(services: readonly Service[]): ReadonlyMap<string, string> {
  const checks = new Map<string, string>();
  for (const { instances } of services) {
    for (const { findings } of instances) {
      for (const { check, ids } of findings) {
        for (const id of ids)
          if (isExplained(id) && !checks.has(id) && checks.size < maxExplained) checks.set(id, check);
      }
    }
  }
  return checks;
}

/** The command or address that explains the messages, for a terminal. */
export function pointers(services: readonly Service[]): readonly string[] {
  return Array.from(messagesOf(services).keys(), moreAbout);
}

/** The explanations themselves, for a page. */
export function explanations(services: readonly Service[]): Slot {
  const sections = Array.from(messagesOf(services), ([id, check]) => explanation(id, check));
  return sections.length > 0 && markup`<section id="messages"><h2>Messages</h2>${sections}</section>`;
}
