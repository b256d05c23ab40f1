import { expect } from 'vitest';
import { until } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { ask, launch } from './start.js';

interface Held {
  readonly rss: number;
  readonly listeners: number;
}

/** Watchdogs that are started and closed on one port: what is held after a quarter of them, and at the end. */
export async function recreate(times: number): Promise<readonly [Held, Held]> {
  const port = await freePort();
  const app = launch('recreate.mjs', [String(port), String(times)]);
  await until(() => app.stderr().includes('HELD') || app.ended() !== undefined, 300_000);
  const [, json = ''] = /HELD (.*)/.exec(app.stderr()) ?? [];
  const [early, late]: [Held, Held] = JSON.parse(json);
  await until(() => app.said('listening on') !== undefined);
  expect(await ask(`http://127.0.0.1:${port}`)).toMatchObject({ status: 200, state: 'ok' });
  // The port that the one before had a moment ago is no trouble; the second Health is.
  expect(app.lines().flatMap(({ Fields }) => Fields['code'] ?? [])).toEqual(['LIFESIGN_WATCHDOG_TWICE']);
  expect(app.stderr().replace(/HELD .*\n/, '')).toBe('');
  return [early, late];
}
