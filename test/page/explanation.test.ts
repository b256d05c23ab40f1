import { readFileSync } from 'node:fs';
import { Error as ErrorMessage } from 'lifesign/checks';
import { expect, test } from 'vitest';
import { watched } from './watched.js';

const documented = readFileSync(new URL('../../docs/messages.md', import.meta.url), 'utf8');
const ids = Array.from(documented.matchAll(/^#+ `?(health\.\w\d+)/gm), ([, id = '']) => id);

/** Tags in their order; each that is opened is closed. */
function balanced(html: string): boolean {
  const open: string[] = [];
  for (const [, slash, tag] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === '') open.push(tag ?? '');
    else if (open.pop() !== tag) return false;
  }
  return open.length === 0;
}

test('every message of ours can be opened on the page, without a script; ids of an application cannot', async () => {
  expect(ids.length).toBeGreaterThan(40);
  const hostile = `<b>"a'&}`;
  const others = ['a.E1', 'health.E999', 'LIFESIGN_APP'];
  const names = [...ids, ...others, hostile];
  const { page, say, beat, close } = await watched(names);
  const idOf = (name: string) => (name === hostile ? 'health.E001' : name);
  say(Object.fromEntries(names.map((name) => [name, [new ErrorMessage('bad', { id: idOf(name) })]])));
  await beat();
  const html = await (await fetch(page)).text();
  await close();
  const explained = html.match(/<details class="explained">.*?<\/details>/gs) ?? [];
  expect(explained).toHaveLength(ids.length + 1);
  for (const id of ids) {
    const own = explained.find((each) => each.includes(`<summary>Explain ${id}</summary><p><b>`)) ?? '';
    expect(balanced(own), id).toBe(true);
    expect(own).toContain(`silencedChecks: [&#39;${id}&#39;]`);
    // The policy of the page lets nothing of it run or load, and nothing of it asks for that.
    expect(own).not.toMatch(/ (?:style|src|href|on\w+)=/);
  }
  expect(html).toContain('<summary>Explain health.E001</summary>');
  expect(html).not.toContain('<b>"a');
});
