import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CheckLog } from '../../src/core/heartbeat/check-log.js';
import { helpFor, hintFor } from '../../src/core/help.js';
import { appTwice } from '../../src/core/options/errors.js';
import { homepage } from '../../src/core/homepage.js';
import * as messageIds from '../../src/core/heartbeat/message-ids.js';

const page = (name: string) => readFile(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const ids = Object.values(messageIds).flatMap((entry): string[] =>
  typeof entry === 'string' ? [entry] : Object.values(entry),
);

test('the address of a section is that of its heading on the site; without a site it is the command', async () => {
  expect(homepage).toBe('');
  expect(helpFor('health.E001')).toBe('npx lifesign-cli explain health.E001');
  const slug = (heading: string) => heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  const headings = async (name: string) =>
    Array.from(
      (await page(name)).matchAll(/^##+ (.*)$/gm),
      ([, heading = '']) => `${name}.html#${slug(heading)}`,
    );
  const anchors = [...(await headings('messages')), ...(await headings('errors'))];
  const codes = Array.from((await page('errors')).matchAll(/^## (LIFESIGN_\w+)$/gm), ([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(20);
  for (const id of [...ids, ...codes]) {
    expect(anchors).toContain(
      helpFor(id, 'https://example.org/lifesign/').replace('https://example.org/lifesign/', ''),
    );
  }
});

test('an error says where it is explained, in what Node prints of it', async () => {
  const { inspect } = await import('node:util');
  expect(inspect(appTwice('application'))).toContain("help: 'npx lifesign-cli explain LIFESIGN_APP_TWICE'");
});

test('the hint in the log ends with where to read on, for ids of ours only', () => {
  for (const id of ids) {
    expect(hintFor(id, undefined)).toBe(`More: npx lifesign-cli explain ${id}`);
    expect(hintFor(id, 'Is it up?')).toBe(`Is it up? More: npx lifesign-cli explain ${id}`);
  }
  for (const id of ['shop.E001', 'shop.health.E001', 'health.E0011', 'health', '']) {
    expect([hintFor(id, undefined), hintFor(id, 'Call Ann')]).toEqual([undefined, 'Call Ann']);
  }
  const messages = [{ id: 'health.E011', text: 'It threw', level: 40, hint: undefined, fields: {} }] as const;
  const mark = { announced: false, logged: false };
  const [record] = new CheckLog(0).records([{ name: 'db', level: 40, messages, mark } as never], 'r-1');
  expect(record?.fields).toEqual({
    check: 'db',
    rid: 'r-1',
    hint: 'More: npx lifesign-cli explain health.E011',
  });
});
