// Figures and tables in Markdown, and their places in contributing/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const pageFile = join(import.meta.dirname, '../contributing/performance.md');

export const two = (number: number): string =>
  Math.abs(number) >= 10 ? number.toFixed(1) : number.toFixed(2);
export const whole = (number: number): string => Math.round(number).toLocaleString('en');
export const signed = (number: number): string => `${number < 0 ? '−' : '+'}${two(Math.abs(number))}`;

export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const endMark = '<!-- /bench -->';

/** The page with the text of each section between its marks. */
export function withSections(page: string, sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections).reduce((text, [name, section]) => {
    const mark = `<!-- bench: ${name} -->`;
    const start = text.indexOf(mark);
    if (start === -1)
      throw new Error(`contributing/performance.md has no place for "${name}": add ${mark} ${endMark}`);
    const end = text.indexOf(endMark, start);
    return `${text.slice(0, start)}${mark}\n\n${section}\n\n${text.slice(end)}`;
  }, page);
}

export function writePage(sections: Readonly<Record<string, string>>): void {
  writeFileSync(pageFile, withSections(readFileSync(pageFile, 'utf8'), sections));
}
