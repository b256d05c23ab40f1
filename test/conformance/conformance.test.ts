import { describe, test } from 'vitest';
import { cases, recordedCases } from './cases/index.js';
import { hosts } from './hosts/index.js';
import { runCase } from './run-case.js';
import { sample, whole } from '../whole.js';

const all = [...cases, ...(await recordedCases())];

// A quarter of them on each host, another quarter on the next: every case runs on some of them, and each pair in every fourth run.
describe.each(hosts.map((host, index) => ({ host, name: host.name, index })))('$name', ({ host, index }) => {
  const turn = (_one: unknown, nth: number) => whole || (nth + index + sample) % 4 === 0;
  test.each(all.filter(turn))('$name', async (one) => {
    await runCase(host, one);
  });
});
