import { describe, expect, test } from 'vitest';
import { cases } from '../conformance/cases/index.js';
import { parseLine } from '../logging/schemas.js';
import { runCases } from './cases.js';
import { startApplication } from './start.js';
import { chosen } from '../whole.js';

const others = [
  ['express', 'cjs', '--require lifesign/auto', false],
  ['fastify', 'mjs', '--import lifesign/auto', false],
  ['koa', 'cjs', '--import lifesign/auto', false],
  ['nest', 'mjs', '--require lifesign/auto', false],
] as const;

describe.each([
  // Every variable on one of them: the others take the same way.
  ['node', 'mjs', '--import lifesign/auto', true] as const,
  ...chosen(others),
])('an unmodified application on %s (.%s, %s)', (name, form, options, every) => {
  test('keeps the contract where that needs no code', { timeout: 120_000 }, async () => {
    const begin = (env: Readonly<Record<string, string>>) => startApplication(name, form, { env, options });
    const { ran, failed } = await runCases(cases, begin, every);
    expect(failed).toEqual([]);
    expect(ran.length).toBeGreaterThan(14);
  });
});

test('every line is one of the schemas', async () => {
  const app = await startApplication('node', 'mjs');
  for (const path of ['/', '/__heartbeat__', '/__version__', '/nowhere']) await fetch(app.origin + path);
  await app.summaries(4);
  for (const line of app.stdout().trimEnd().split('\n')) parseLine(line);
});
