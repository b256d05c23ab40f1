import { expect, it } from 'vitest';
import { Warning } from 'lifesign/checks';
import { engineOf } from '../../../src/core/health.js';
import { makeHealth } from '../make-health.js';

async function bodyOf(health: ReturnType<typeof makeHealth>['health'], request: unknown = {}) {
  const answer = await engineOf(health).handle('GET', '/__heartbeat__', request);
  return { status: answer?.status, body: JSON.parse(answer?.body ?? '') };
}

it('a check that is added after a heartbeat is in the next report', async () => {
  const { health } = makeHealth();
  health.check('first', () => []);
  expect(await bodyOf(health)).toEqual({
    status: 200,
    body: { status: 'ok', checks: { first: 'ok' }, details: {} },
  });
  health.check('second', () => []);
  expect(await bodyOf(health)).toEqual({
    status: 200,
    body: { status: 'ok', checks: { first: 'ok', second: 'ok' }, details: {} },
  });
});

it('good, bad and good again: each answer is that of its heartbeat', async () => {
  const { health } = makeHealth();
  let bad = false;
  health.check('moody', () => (bad ? [new Warning('low', { id: 'acme.W001' })] : []));
  const good = { status: 200, body: { status: 'ok', checks: { moody: 'ok' }, details: {} } };
  expect(await bodyOf(health)).toEqual(good);
  bad = true;
  expect(await bodyOf(health)).toMatchObject({ status: 500, body: { status: 'warning' } });
  bad = false;
  expect(await bodyOf(health)).toEqual(good);
});

it('requests that share a failing heartbeat share its answer; the details stay hidden from others', async () => {
  const { health } = makeHealth({ coalesce: true, details: (request: unknown) => request === 'operator' });
  let runs = 0;
  health.check('failing', async () => {
    runs += 1;
    await Promise.resolve();
    return [new Warning(`run ${runs}`, { id: 'acme.W001' })];
  });
  const ask = async (request: unknown) => engineOf(health).handle('GET', '/__heartbeat__', request);
  const [first, second, stranger] = await Promise.all(['operator', 'operator', 'stranger'].map(ask));
  expect(runs).toBe(1);
  expect(first?.body).toContain('run 1');
  expect(second).toBe(first);
  expect(stranger?.body).toBe('{"status":"warning"}');
  // The next one is of its own heartbeat.
  expect((await ask('operator'))?.body).toContain('run 2');
});

it('those who may see the details and those who may not, in turns', async () => {
  const { health } = makeHealth({ details: (request: unknown) => request === 'operator' });
  health.check('quiet', () => []);
  const shown = { status: 200, body: { status: 'ok', checks: { quiet: 'ok' }, details: {} } };
  const hidden = { status: 200, body: { status: 'ok' } };
  for (const [request, expected] of [
    ['operator', shown],
    ['stranger', hidden],
    ['operator', shown],
    ['stranger', hidden],
  ] as const) {
    expect(await bodyOf(health, request)).toEqual(expected);
  }
});
