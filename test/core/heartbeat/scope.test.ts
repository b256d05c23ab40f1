import { expect, it } from 'vitest';
import type { Check } from 'lifesign/checks';
import * as checks from 'lifesign/checks';
import { Registry } from '../../../src/core/heartbeat/registry.js';
import { type SecondOpinion, withScope } from '../../../src/core/heartbeat/scope.js';
import { makeHealth } from '../make-health.js';

const fine: Check = () => [];
const opinion: SecondOpinion = {
  dependency: {},
  ask: () => Promise.resolve({ scope: 'shared', evidence: 'a fresh connection fails too' }),
};

function registered(check: Check, options = {}, checkOptions = {}) {
  const registry = new Registry({ cacheFor: 0, checkOptions, coalesce: false });
  registry.add('one', check, options);
  const [added] = registry.checks;
  if (added === undefined) throw new Error('none');
  return added;
}

it('takes a custom check for the trouble of its instance', () => {
  expect(registered(() => [])).toMatchObject({ scope: 'instance', secondOpinion: undefined });
});

it('takes what the check says of itself, and the option over it', () => {
  const check = withScope(() => [], 'auto', opinion);
  expect(registered(check)).toMatchObject({ scope: 'auto', secondOpinion: opinion });
  expect(registered(check, { scope: 'shared' }).scope).toBe('shared');
  expect(registered(check, {}, { one: { scope: 'instance' } }).scope).toBe('instance');
  expect(registered(check, { scope: undefined }).scope).toBe('auto');
});

it('hands on how many runs it takes', () => {
  const options = { failureThreshold: 3, successThreshold: 2, restartAfter: 60_000 };
  expect(registered(fine, options)).toMatchObject(options);
});

it.each([
  [{ scope: 'fleet' }, "'instance', 'shared' or 'auto'"],
  [{ failureThreshold: 0 }, 'an integer from 1 to 1000'],
  [{ successThreshold: 1.5 }, 'an integer from 1 to 1000'],
  [{ restartAfter: -1 }, 'an integer from 0'],
])('refuses %j', (options, expected) => {
  const { health } = makeHealth();
  expect(() => health.check('one', fine, options as never)).toThrow(expected);
});

it.each([
  ['http', checks.http('http://search.test/'), 'shared'],
  ['tcp', checks.tcp('mail.test', 25), 'shared'],
  ['memory', checks.memory(), 'shared'],
  ['disk', checks.disk({ path: '/' }), 'instance'],
  ['eventLoop', checks.eventLoop(), 'shared'],
  ['heap', checks.heap(), 'auto'],
])('%s has its scope', (_name, check, scope) => {
  expect(registered(check).scope).toBe(scope);
});
