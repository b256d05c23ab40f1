import { expect, test } from 'vitest';
import type { LoopBlock } from '../../../src/core/loop.js';
import type { State } from '../../../src/page/history.js';
import { headline } from '../../../src/page/content/headline.js';
import { dataOf } from '../../../src/page/content/json.js';
import { loopRow } from '../../../src/page/content/loop.js';
import type { View } from '../../../src/page/content/view.js';

const now = Date.parse('2026-01-02T03:04:05Z');
const block: LoopBlock = {
  since: now - 65_000,
  blockedFor: 5000,
  culprit: 'parseCsv (report.js:12)',
  stack: 'parseCsv (report.js:12)\nhandle <app.js:3>',
  noStack: undefined,
  rid: undefined,
  method: undefined,
  path: undefined,
};

function viewOf(more: Partial<View> = {}): View {
  return {
    now,
    service: 'shop',
    state: undefined,
    previous: undefined,
    failed: false,
    code: 200,
    heartbeat: undefined,
    staleAt: undefined,
    stale: false,
    draining: false,
    version: undefined,
    versionProblem: undefined,
    transitions: [],
    details: undefined,
    withTexts: true,
    pagePath: '/__health__',
    ...more,
  };
}
const shown = (given: Partial<LoopBlock>, withTexts = true) =>
  String(loopRow({ ...block, ...given }, viewOf({ withTexts })));

test('a block of the event loop is told with its culprit and its stack, as text and not as markup', () => {
  const row = shown({});
  expect(row).toContain('event loop: blocked 5.0 s');
  expect(row).toContain(', in parseCsv (report.js:12)');
  expect(row).toContain('<summary>Stack</summary>');
  expect(row).toContain('handle &lt;app.js:3&gt;');
});

test('without a stack it says why, and nothing where nothing is known or texts are withheld', () => {
  const why = { culprit: undefined, stack: undefined, noStack: 'native code' };
  expect(shown(why)).toContain(' (native code)');
  expect(shown(why)).not.toContain('<summary>Stack');
  expect(shown({ ...why, noStack: undefined })).toMatch(/ ago<\/p>/);
  const withheld = shown({}, false);
  expect(withheld).toContain('blocked 5.0 s');
  expect(withheld).not.toContain('parseCsv');
});

test('the data of the page has the block, with its texts where they are shown', () => {
  const process = { instance: 'i', pid: 1, runtime: 'Node', started: now };
  const data = (withTexts: boolean, seen: LoopBlock | undefined) =>
    JSON.parse(dataOf(viewOf({ withTexts, details: { checks: [], process, block: seen } })));
  const bare = { since: '2026-01-02T03:03:00.000Z', blockedFor: 5000 };
  expect(data(true, block).eventLoop).toEqual({ ...bare, culprit: block.culprit, stack: block.stack });
  expect(data(false, block).eventLoop).toEqual(bare);
  expect(data(true, undefined)).not.toHaveProperty('eventLoop');
});

test('who may not see the details is told in one sentence how things are', () => {
  const sentence = (level: State['level'], status: State['status']) =>
    String(headline(viewOf({ state: { level, status, failed: level > 0, since: now } })));
  expect(sentence(0, 'ok')).toContain('All is well');
  expect(sentence(30, 'warning')).toContain('Details are hidden from you');
});
