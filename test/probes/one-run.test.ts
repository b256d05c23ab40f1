import { afterEach, expect, it, vi } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import type { HeartbeatEvent } from 'lifesign';
import { makeProbes } from './make-probes.js';

afterEach(async () => {
  if (vi.isFakeTimers()) await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const bad = () => [new ErrorMessage('bad', { id: 'a.E1' })];

it('a run for the probes is in the metrics, on the page and in the signals, which say what it was for', async () => {
  const { health, handle, ask, codes, after, records } = await makeProbes(true, {
    metrics: true,
    page: true,
  });
  const heard: string[] = [];
  const hear = ({ source, status }: HeartbeatEvent) => heard.push(`${source} ${status}`);
  health.on('heartbeatFailed', hear).on('heartbeatPassed', hear);
  let fails = false;
  health.check('storage', () => (fails ? bad() : []), { scope: 'shared' });
  await codes('/readyz');
  expect((await ask('/__metrics__')).body).toContain('\nlifesign_check_up{check="storage"} 1\n');
  fails = true;
  await after(1500);
  await codes('/readyz');
  const { body } = await ask('/__metrics__');
  expect(body).toContain('\nlifesign_check_up{check="storage"} 0\n');
  expect(body).toContain('\nlifesign_heartbeat_failed 1\n');
  expect(body).toContain('\nlifesign_heartbeats_total{status="error"} 1\n');
  expect(body).toContain('\nlifesign_check_runs_total{check="storage",status="error"} 1\n');
  await health.heartbeat();
  expect(heard).toEqual(['probe ok', 'probe error', 'heartbeat error']);
  // The heartbeat finds what the probes found: it is in the log.
  expect(records.map(({ logger, msg }) => `${logger} ${msg}`)).toEqual([
    'health.probes startupz passes',
    'health.probes readyz passes',
    'health.checks a.E1: bad',
    'health.probes storage fails, shared: by its scope',
  ]);
  // The page is loaded from the disk.
  await vi.runAllTimersAsync();
  vi.useRealTimers();
  expect((await handle('GET', '/__health__', {}))?.body).toContain('a.E1');
  health.close();
});

it('a run that several wait for is counted once, and copies carry its number', async () => {
  const { health, codes, after } = await makeProbes({ failureThreshold: 2 });
  health.check('own', () => (performance.now() > 2000 ? bad() : []), { cacheFor: 3000 });
  await codes('/readyz');
  await after(4000);
  const runs = new Set<number>();
  for (let turn = 0; turn < 3; turn += 1) {
    runs.add((await health.heartbeat()).results[0]?.run ?? 0);
    await codes('/readyz');
    await after(200);
  }
  expect(runs.size).toBe(1);
  // Twice the same result is one failure.
  expect(await codes('/readyz')).toEqual([200]);
  health.close();
});

it('a fault that a check names is on its result, and nothing else is', async () => {
  const { health } = await makeProbes();
  health.check('full', () => new ErrorMessage('no', { id: 'a.E2', fault: 'full' }));
  health.check('other', () => new ErrorMessage('no', { id: 'a.E3', fault: 'junk' as never }));
  const { results } = await health.heartbeat();
  expect(results.map(({ fault }) => fault)).toEqual(['full', undefined]);
  health.close();
});
