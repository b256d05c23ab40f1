import fc from 'fast-check';
import { expect, test } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import { checks, levels, statusOf } from 'lifesign';
import { makeHealth } from '../make-health.js';

const kinds = [checks.Debug, checks.Info, checks.Warning, checks.Error, checks.Critical];
const message = fc
  .tuple(
    fc.constantFrom(...kinds),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary', minLength: 1 }),
  )
  .map(([Kind, text, id]) => new Kind(text, { id }));
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '1', '0'),
);
const heartbeats = fc.uniqueArray(fc.tuple(name, fc.array(message, { maxLength: 5 }), fc.boolean()), {
  selector: ([key]) => key,
  maxLength: 8,
});

test('whatever the checks say, the report is JSON of the right shape and loses nothing', async () => {
  await fc.assert(
    fc.asyncProperty(heartbeats, async (list) => {
      const { health } = makeHealth();
      for (const [key, messages, later] of list) {
        health.check(key, later ? async () => messages : () => messages);
      }
      const answer = await engineOf(health).handle('GET', '/__heartbeat__', undefined);
      const body = answer?.body ?? '';
      const report = JSON.parse(body);
      expect(Object.keys(report)).toEqual(['status', 'checks', 'details']);

      const worst = (messages: readonly { level: number }[]) =>
        Math.max(0, ...messages.map(({ level }) => level));
      const overall = worst(list.flatMap(([, messages]) => messages));
      expect(levels[report.status as keyof typeof levels] ?? 0).toBe(overall);
      expect(answer?.status).toBe(overall >= 30 ? 500 : 200);
      expect(answer?.headers['Content-Length']).toBe(String(Buffer.byteLength(body)));

      expect(new Set(Object.keys(report.checks))).toEqual(new Set(list.map(([key]) => key)));
      const listed = list.filter(([, messages]) => messages.length > 0);
      expect(Object.keys(report.details).length).toBe(listed.length);
      for (const [key, messages] of listed) {
        const detail = Object.getOwnPropertyDescriptor(report.details, key)?.value;
        expect(detail.level).toBe(worst(messages));
        expect(detail.status).toBe(statusOf(detail.level));
        expect(Object.getOwnPropertyDescriptor(report.checks, key)?.value).toBe(detail.status);
        expect(Object.values(detail.messages).toSorted()).toEqual(
          messages.map(({ text }) => text).toSorted(),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test('an id that looks like the second use of another is kept apart from it', async () => {
  const { health } = makeHealth();
  health.check('odd', () => ['a', 'a#2', 'a'].map((id, index) => new checks.Info(String(index), { id })));
  const answer = await engineOf(health).handle('GET', '/__heartbeat__', undefined);
  expect(JSON.parse(answer?.body ?? '').details.odd.messages).toEqual({ a: '0', 'a#2': '1', 'a#3': '2' });
});
