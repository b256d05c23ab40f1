// East Asian and pictographic characters take two places, marks none.
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
const mark = /\p{M}/u;

/** Places that a printable text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += mark.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** The text, cut to `most` places; a cut text ends with `…`. */
export function fit(text: string, maxWidth: number): string {
  if (text.length <= maxWidth && !/[^ -~]/.test(text)) return text;
  if (widthOf(text) <= maxWidth) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    const places = widthOf(character);
    if (width + places > maxWidth - 1) break;
    kept += character;
    width += places;
  }
  return maxWidth < 1 ? '' : `${kept}…`;
}

/** The text, padded or cut to exactly this width. */
export function pad(text: string, width: number): string {
  const fitted = fit(text, width);
  return fitted + ' '.repeat(Math.max(0, width - widthOf(fitted)));
}
