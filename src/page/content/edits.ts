/**
 * The edits that turn one list of lines into another: a number keeps that many lines, a string adds its own lines,
 * `[from, many]` continues with the old text there.
 */
export type Edit = number | string | readonly [from: number, many: number];

/** The edits from one text to another. Made for texts that differ in single lines: it looks at each line once. */
export function editsOf(old: readonly string[], fresh: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  let places: ReadonlyMap<string, number> | undefined;
  let literal: string[] = [];
  /** The index in the old text at which the next line is expected, and at which the kept lines began. */
  let at = 0;
  let from = 0;
  let jumped = false;
  const keep = () => {
    if (at > from) edits.push(jumped ? [from, at - from] : at - from);
    jumped = false;
  };
  const replace = () => {
    if (literal.length > 0) edits.push(literal.join('\n'));
    literal = [];
    from = at;
  };
  for (const line of fresh) {
    if (old[at] !== line) {
      const place = (places ??= placesOf(old)).get(line);
      if (place === undefined) {
        if (literal.length === 0) keep();
        literal.push(line);
        at += 1;
        continue;
      }
      if (literal.length === 0) keep();
      replace();
      at = place;
      from = place;
      jumped = true;
    } else if (literal.length > 0) replace();
    at += 1;
  }
  if (literal.length === 0) keep();
  replace();
  return edits;
}

/** The indexes of lines that occur once: they show what was inserted or moved. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (places.has(line)) twice.add(line);
    places.set(line, index);
  }
  for (const line of twice) places.delete(line);
  return places;
}

/** The text that the edits make of an old one. */
export function edited(old: readonly string[], edits: readonly Edit[]): string[] {
  let at = 0;
  return edits.flatMap((edit) => {
    const from = typeof edit === 'object' ? edit[0] : at;
    const lines =
      typeof edit === 'string'
        ? edit.split('\n')
        : old.slice(from, from + (typeof edit === 'object' ? edit[1] : edit));
    at = from + lines.length;
    return lines;
  });
}
