import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realClock } from '../../src/core/clock.js';
import type { Opinion } from '../../src/core/heartbeat/check.js';
import { reachTimeout } from '../../src/probes/limits.js';
import { opinionOf } from '../../src/probes/opinions.js';
import { watchDelay } from '../../src/probes/own-delay.js';
import { pause } from '../core/waiting.js';

const long = reachTimeout * 3;

/** The event loop, for a share of the time. */
async function loopBusy(busy: number, idle: number): Promise<boolean> {
  const wasBusy = watchDelay();
  for (const end = performance.now() + long; performance.now() < end; await pause(idle)) {
    for (const until = performance.now() + busy; performance.now() < until;);
  }
  return wasBusy();
}

it('a busy event loop is a delay of its own, and one that is idle half of the time is none', async () => {
  expect(await loopBusy(200, 20)).toBe(true);
  // Until the machine has time for it.
  await expect.poll(() => loopBusy(20, 20), { timeout: 20_000 }).toBe(false);
}, 30_000);

it('what failed at once was not delayed', async () => {
  const wasBusy = watchDelay();
  for (const until = performance.now() + reachTimeout / 4; performance.now() < until;);
  expect(wasBusy()).toBe(false);
});

it('threads that are all in use are a delay of its own: names are looked up in them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lifesign-threads-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  // Each waits in its thread until the pipe has a writer.
  const opened = Array.from(
    { length: size },
    () => new Promise<number>((resolve) => open(pipe, 'r', (_error, file) => resolve(file))),
  );
  const wasBusy = watchDelay();
  await pause(long);
  expect(wasBusy()).toBe(true);
  const writer = openSync(pipe, 'r+');
  for (const file of await Promise.all(opened)) closeSync(file);
  closeSync(writer);
  rmSync(folder, { recursive: true });
});

it('of a process that was busy itself, an opinion does not say whether it reached the dependency', async () => {
  const unreached = { scope: 'shared', evidence: 'a fresh connection fails too', unreached: true } as const;
  const saidBy = (isBusy: boolean, opinion: Opinion) =>
    opinionOf({ dependency: {}, ask: async () => opinion }, {} as never, {
      every: 1000,
      since: 0,
      confirmsFrom: undefined,
      clock: realClock,
      watchDelay: () => () => isBusy,
      mayRun: () => false,
    })?.said;
  expect(await saidBy(false, unreached)).toEqual(unreached);
  const evidence = `${unreached.evidence}; this process was too busy to know why`;
  expect(await saidBy(true, unreached)).toEqual({ scope: 'shared', evidence });
  // What the server said is not a matter of time.
  const leaked = { scope: 'instance', evidence: 'leaked or dead' } as const;
  expect(await saidBy(true, leaked)).toEqual(leaked);
});
