import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checks, levels, LifesignError, statusOf } from 'lifesign';

const kinds = [
  ['Debug', checks.Debug, 10, 'debug'],
  ['Info', checks.Info, 20, 'info'],
  ['Warning', checks.Warning, 30, 'warning'],
  ['Error', checks.Error, 40, 'error'],
  ['Critical', checks.Critical, 50, 'critical'],
] as const;

describe.each(kinds)('%s', (name, Kind, level, word) => {
  test('has its level, text, id and hint', () => {
    const message = new Kind('Storage is slow', { id: 'acme.X001', hint: 'See the runbook' });
    expect(message.level).toBe(level);
    expect(message.text).toBe('Storage is slow');
    expect(message.id).toBe('acme.X001');
    expect(message.hint).toBe('See the runbook');
    expect(new Kind('', { id: 'x' }).hint).toBeUndefined();
    expect(checks.isCheckMessage(message)).toBe(true);
    expect(statusOf(level)).toBe(word);
  });

  test.each([[{}], [{ id: '' }], [{ id: 7 }], [undefined], [null]])(
    'cannot be made without a non-empty string id: %j',
    (options) => {
      // Wrong types on purpose: callers in JavaScript have no compiler.
      const make = () => Reflect.construct(Kind, ['text', options]);
      expect(make).toThrow(LifesignError);
      expect(make).toThrow(`Write new checks.${name}('what is wrong', { id: 'myapp.health.E001' }).`);
      expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_MESSAGE_ID' }));
      // What Node prints of an error says where it is explained.
      expect(make).toThrow(
        expect.toSatisfy((error) =>
          inspect(error).includes("help: 'npx lifesign-cli explain LIFESIGN_MESSAGE_ID'"),
        ),
      );
    },
  );

  test('cannot be made without a text', () => {
    const make = () => Reflect.construct(Kind, [new globalThis.Error('secret'), { id: 'x' }]);
    expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_MESSAGE_TEXT' }));
    expect(make).not.toThrow('secret');
  });
});

test('the level of no message is 0, ok', () => {
  expect(statusOf(0)).toBe('ok');
  expect(levels).toEqual({ debug: 10, info: 20, warning: 30, error: 40, critical: 50 });
});
