import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RequestContext } from '../../src/core/request/request.js';
import type { LabelSet } from '../../src/metrics/labels.js';
import { RequestSeries } from '../../src/metrics/request-series.js';

/** A series after some requests, and what it counts: `method route code` with its number. */
function counted(requests: readonly { route?: string; request?: object; method?: string; code?: number }[]) {
  const series = new RequestSeries();
  for (const { route, request, method = 'GET', code = 200 } of requests) {
    const context = new RequestContext({ givenId: undefined });
    context.route = route;
    context.request = request;
    context.end();
    series.record(context, { method, target: '/', code, complete: true, agent: undefined, lang: undefined });
  }
  const counts = new Map<string, number>();
  series.duration((value, { pairs }: LabelSet, suffix) => {
    if (suffix === '_count') counts.set(`${pairs['method']} ${pairs['route']} ${pairs['code']}`, value);
  });
  return Object.fromEntries(counts);
}

test('whatever methods and codes clients and applications make up, the series stay few and no request is lost', () => {
  const request = fc.record({
    method: fc.string(),
    code: fc.oneof(fc.integer(), fc.nat(700)),
    route: fc.constant('/'),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 50 }), (requests) => {
      const counts = counted(requests);
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(requests.length);
      for (const key of Object.keys(counts))
        expect(key).toMatch(/^(?:_OTHER|[A-Z]+) \/ (?:[1-5]\d\d|_OTHER)$/);
    }),
  );
  expect(
    counted([
      { route: '/', method: 'BREW', code: 99 },
      { route: '/', code: 600 },
      { route: '/', code: 0 },
    ]),
  ).toEqual({
    '_OTHER / _OTHER': 1,
    'GET / _OTHER': 2,
  });
});

test('routes beyond the first 500 are one, and long ones are cut', () => {
  const routes = Array.from({ length: 600 }, (_, index) => ({ route: `/r${index}` }));
  const counts = counted([...routes, { route: '/r0' }, { route: '/r599' }]);
  expect(Object.keys(counts)).toHaveLength(501);
  expect(counts).toMatchObject({ 'GET /r0 200': 2, 'GET /r499 200': 1, 'GET _OTHER 200': 101 });
  const long = '/'.padEnd(201, 'x');
  expect(counted([{ route: long }, { route: `${long}y` }])).toEqual({
    [`GET ${long.slice(0, 200)}… 200`]: 2,
  });
});
