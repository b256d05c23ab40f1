import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tableIn } from '../../bench/scale/page.js';
import { incidents } from '../incidents/list.js';
import { columns, keys, page, rowsOf } from '../incidents/table.js';

const text = readFileSync(page, 'utf8');
const root = join(import.meta.dirname, '../..');

test('docs/incidents.md has a row for each incident and set-up that npm run test:incidents plays', () => {
  const rows = rowsOf(text);
  expect(tableIn(text, 'incidents')?.split('\n')[0]).toBe(`| ${columns.join(' | ')} |`);
  expect(rows.map((cells) => cells.slice(0, 2))).toEqual(keys);
  for (const cells of rows) {
    expect(cells).toHaveLength(columns.length);
    const [, , noticed, lost, restarts, recovered, said] = cells;
    expect(noticed).toMatch(/^(?:\d+\.\d s|never|–)$/);
    expect(lost).toMatch(/^\d+ of [1-9]\d*$/);
    expect(restarts).toMatch(/^\d+$/);
    expect(recovered).toMatch(/^(?:after \d+\.\d s|no\b.+|nothing to recover from)$/);
    expect(said).not.toBe('');
  }
});

test('each incident has a section of five lines with its thread, and a scenario', () => {
  const sections = text.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split('\n')[0])).toEqual(incidents.map(({ title }) => title));
  for (const section of sections) {
    const names = Array.from(section.matchAll(/^- \*\*([^*]+)\.\*\* \S/gm), ([, name]) => name);
    expect(names).toEqual(['What happened', 'How long', 'Thread', 'The usual check', 'lifesign']);
    expect(section).toMatch(/https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d+\)/);
  }
  for (const { file, setUps } of incidents) {
    expect(existsSync(join(root, `test/incidents/scenarios/${file}.ts`))).toBe(true);
    expect(setUps.some((setUp) => !setUp.startsWith('lifesign'))).toBe(true);
    expect(setUps).toContain('lifesign');
  }
});

test('the versions of the other libraries on the page are those that are installed', () => {
  for (const name of ['@godaddy/terminus', '@nestjs/terminus', 'lightship', '@fastify/under-pressure']) {
    const { version }: { version: string } = JSON.parse(
      readFileSync(join(root, `node_modules/${name}/package.json`), 'utf8'),
    );
    expect(text).toContain(`${name} ${version}`);
  }
});
