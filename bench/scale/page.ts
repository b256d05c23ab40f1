import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const pageFile: string = join(import.meta.dirname, '../../contributing/scale.md');

const placeOf = (name: string) => new RegExp(`(<!-- ${name} -->\n\n)[^]*?(\n\n<!-- /${name} -->)`);

/** The table that the page has under a name; undefined where it has none. */
export function tableIn(page: string, name: string): string | undefined {
  const [whole, before = '', after = ''] = placeOf(name).exec(page) ?? [];
  return whole?.slice(before.length, whole.length - after.length);
}

/** Puts tables into the page, or another one. */
export function writeTables(tables: Readonly<Record<string, string>>, file = pageFile): void {
  let page = readFileSync(file, 'utf8');
  for (const [name, table] of Object.entries(tables)) {
    page = page.replace(placeOf(name), (_whole, before: string, after: string) => before + table + after);
  }
  writeFileSync(file, page);
}
