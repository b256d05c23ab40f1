import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageSections } from '../../src/explain/messages.js';
import { explanation } from '../../src/page/checks.js';

const ids = messageSections.map(({ id }) => id);

/** Tags in their order; each that is opened is closed. */
function balanced(html: string): boolean {
  const open: string[] = [];
  for (const [, slash, tag] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === '') open.push(tag ?? '');
    else if (open.pop() !== tag) return false;
  }
  return open.length === 0;
}

test('every message of ours can be opened on the page, without a script', () => {
  expect(ids.length).toBeGreaterThan(40);
  for (const id of ids) {
    const html = String(explanation(id, 'db'));
    expect(html).toMatch(new RegExp(`^<details class="explained"><summary>Explain ${id}</summary><p><b>`));
    expect(balanced(html)).toBe(true);
    expect(html).toContain(`silencedChecks: [&#39;${id}&#39;]`);
    // The policy of the page lets nothing of it run or load, and nothing of it asks for that.
    expect(html).not.toMatch(/ (?:style|src|href|on\w+)=/);
  }
  expect(String(explanation('health.E001', 'check_redis_connected'))).toContain('{ check_redis_connected: {');
});

test('ids of an application have none, and the name of a check is escaped', () => {
  for (const id of ['a.E1', 'health.E999', 'health.', 'LIFESIGN_APP'])
    expect(explanation(id, 'db')).toBeUndefined();
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', ' ', '\u0000', '}') }),
      (name) => {
        const html = String(explanation('health.E001', name));
        expect(balanced(html)).toBe(true);
        expect(html.match(/<[^>]*>/g)).toEqual(String(explanation('health.E001', 'db')).match(/<[^>]*>/g));
      },
    ),
  );
});

test('however many checks there were, each message is explained for its check', () => {
  const html = (check: number) => String(explanation('health.E001', `check_${check}`));
  for (let check = 0; check < 1100; check += 1) expect(html(check)).toContain(`{ check_${check}: {`);
  expect(html(0)).toContain('{ check_0: {');
});
