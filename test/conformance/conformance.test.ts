import { describe, test } from 'vitest';
import { cases, recordedCases } from './cases/index.js';
import { hosts } from './hosts/index.js';
import { runCase } from './run-case.js';

const all = [...cases, ...(await recordedCases())];

describe.each(hosts)('$name', (host) => {
  test.each(all)('$name', async (one) => {
    await runCase(host, one);
  });
});
