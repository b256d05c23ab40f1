import { afterEach, describe, expect, it } from 'vitest';
import { makeHealth } from '../make-health.js';

const set: string[] = [];
function variable(name: string, value: string): void {
  set.push(name);
  process.env[name] = value;
}
afterEach(() => {
  for (const name of set.splice(0)) delete process.env[name];
});

describe('a variable nobody reads', () => {
  it.each([
    ['HEALTH_FAIL_LEVL', 'HEALTH_FAIL_LEVEL'],
    ['HEALTH_FAILED_STATUSCODE', 'HEALTH_FAILED_STATUS_CODE'],
    ['HEALTH_CHECK_FAIL_LEVEL', 'HEALTH_FAIL_LEVEL'],
    ['HEALTH_DRAIN_DELAY_MS', 'HEALTH_DRAIN_DELAY'],
    ['HEALTH_COALECE', 'HEALTH_COALESCE'],
  ])('%s is told once at start, with the one that was meant', (given, meant) => {
    variable(given, '1');
    expect(makeHealth().records).toMatchObject([
      { logger: 'health', level: 30, msg: `${given} is set, but nothing reads it. Did you mean ${meant}?` },
    ]);
  });

  it.each([
    'HEALTH_DRAIN_DELAY',
    'HEALTH_LOG_FORMAT',
    'HEALTH_TIMEOUT',
    'HEALTH_INSURANCE_PLAN',
    'HEALTHY_PAGE',
  ])('%s is one that is read, or somebody else’s', (name) => {
    variable(name, '1s');
    expect(makeHealth().records).toEqual([]);
  });
});
