import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createHandler } from 'lifesign';
import { Health } from 'lifesign/express';

/** Makes a Health that is refused, with a registry of the application. */
const refusals: readonly (readonly [string, (registry: Registry) => unknown])[] = [
  [
    'a path that is taken',
    (registry) => createHandler({ metrics: { registry }, page: true, probes: { live: '/__health__' } }),
  ],
  [
    'an application that is none',
    (registry) => new Health(5 as never, { metrics: { registry }, probes: true }),
  ],
];

describe.each(refusals)('a Health that is refused for %s', (_why, make) => {
  it('leaves nothing in the registry of the application', () => {
    const registry = new Registry();
    // Twice: what the first one had left would be in the way of the second one.
    const why = () => {
      try {
        make(registry);
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : undefined;
      }
      return undefined;
    };
    const first = why();
    expect(first).toBeDefined();
    expect(why()).toBe(first);
    expect(registry.getMetricsAsArray()).toEqual([]);
  });
});
