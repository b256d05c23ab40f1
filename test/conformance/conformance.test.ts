import { describe, test } from 'vitest';
import { chosen } from '../whole.js';
import { carriedCases, cases, recordedCases } from './cases/index.js';
import { hosts } from './hosts/index.js';
import { runCase } from './run-case.js';

const recorded = await recordedCases();
/** The ways in which an answer of the core is written; in memory, and with `npm run test:whole` on all hosts, every case is run. */
const writers = chosen(hosts, 'Express 5', 'Fastify 5', 'Hono', 'node:http2');

describe.each(hosts)('$name', (host) => {
  test.each([...(writers.includes(host) ? cases : carriedCases), ...recorded])('$name', async (one) => {
    await runCase(host, one);
  });
});
