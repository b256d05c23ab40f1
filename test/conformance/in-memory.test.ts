import { test } from 'vitest';
import { cases, recordedCases } from './cases/index.js';
import { inMemory } from './hosts/in-memory.js';
import { runCase } from './run-case.js';

test.each([...cases, ...(await recordedCases())])('in memory: $name', async (one) => {
  await runCase(inMemory, one);
});
