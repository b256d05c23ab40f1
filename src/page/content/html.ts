/** Markup that is safe to send: made only by `markup`. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** A value of a template: text is escaped, markup is not, undefined and false print nothing. */
export type Slot = string | number | Html | undefined | false | readonly Slot[];

/**
 * Markup from a template; whatever is put into it is escaped unless it is markup itself.
 *
 * @example markup`<p title="${message}">${message}</p>`
 */
export function markup(parts: TemplateStringsArray, ...slots: readonly Slot[]): Html {
  return new Html(parts.reduce((text, part, index) => text + markupOf(slots[index - 1]) + part));
}

function markupOf(slot: Slot): string {
  if (slot === undefined || slot === false) return '';
  if (slot instanceof Html) return slot.toString();
  if (typeof slot === 'object') return slot.map(markupOf).join('');
  if (typeof slot === 'number') return String(slot);
  return suspect.test(slot) ? escape(slot) : slot;
}

/** The characters that `escape` changes: few texts have one. */
const suspect = /[&<>"'\p{Cc}\p{Cs}]/u;

/** Text for an element or a quoted attribute. Characters that HTML cannot carry become replacement characters. */
function escape(text: string): string {
  return text
    .replace(/\p{Cs}|[^\P{Cc}\n\t]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** The text, or its beginning if it is longer than `most` characters. */
export function clip(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
