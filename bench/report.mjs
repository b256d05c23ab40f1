// Figures and tables in Markdown, and their places in docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const pageFile = join(import.meta.dirname, '../docs/performance.md');

export const two = (number) => (Math.abs(number) >= 10 ? number.toFixed(1) : number.toFixed(2));
export const whole = (number) => Math.round(number).toLocaleString('en');
export const signed = (number) => `${number < 0 ? '−' : '+'}${two(Math.abs(number))}`;
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Puts the text of each section between its marks; a section without marks is added after the last one. */
export function writeSections(page, sections) {
  return Object.entries(sections).reduce((text, [name, section]) => {
    const marked = `<!-- bench: ${name} -->\n\n${section}\n\n<!-- /bench -->`;
    const start = text.indexOf(`<!-- bench: ${name} -->`);
    const mark = '<!-- /bench -->';
    const last = text.lastIndexOf(mark) + mark.length;
    if (start === -1) return `${text.slice(0, last)}\n\n${marked}${text.slice(last)}`;
    return text.slice(0, start) + marked + text.slice(text.indexOf(mark, start) + mark.length);
  }, page);
}

export function writePage(sections) {
  writeFileSync(pageFile, writeSections(readFileSync(pageFile, 'utf8'), sections));
}
