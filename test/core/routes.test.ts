import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerUp, json } from '../../src/core/endpoints.js';
import type { Feature } from '../../src/core/feature.js';
import { engineOf, HealthCore } from '../../src/core/health.js';
import { silent } from '../../src/core/log.js';
import { resolveOptions } from '../../src/core/options/resolve-options.js';
import { Routes } from '../../src/core/routes.js';
import { routeAt, routesOf } from './routes.js';

const segment = fc.stringMatching(/^[\w.~-]{1,8}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const query = fc.constantFrom('', '?', '?x=1', '?/__heartbeat__', '?a?b/');

describe('routes', () => {
  test('are found by their path, with any query, with and without a slash', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 5 }), query, (paths, asked) => {
        const routes = routesOf(...paths);
        for (const each of [...paths, '/__version__', '/__heartbeat__', '/__lbheartbeat__']) {
          expect(routes.match(each + asked)?.path).toBe(each);
          expect(routes.match(`${each}/${asked}`)?.path).toBe(each);
        }
      }),
    );
  });

  test('leave everything else to the application', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 5 }), path, query, (paths, other, asked) => {
        fc.pre(!paths.includes(other));
        const routes = routesOf(...paths);
        for (const target of [other, `/${other}`, `${other}//`, `${other}x?${other}`]) {
          fc.pre(!paths.includes(target));
          expect(routes.match(target + asked)).toBe(undefined);
        }
      }),
    );
  });

  test('are found under a prefix as well, and nothing else is', () => {
    fc.assert(
      fc.property(
        path,
        fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
        query,
        (prefix, paths, asked) => {
          fc.pre(paths.every((each) => !paths.includes(prefix + each)));
          const routes = new Routes<unknown>(prefix);
          routes.add(paths.map(routeAt));
          expect(routes.paths()).toEqual([...paths, ...paths.map((each) => prefix + each)]);
          for (const each of paths) {
            for (const end of ['', '/']) {
              expect(routes.match(each + end + asked)?.name).toBe(each);
              expect(routes.match(prefix + each + end + asked)?.name).toBe(each);
              expect(routes.match(`http://user@host${prefix}${each}${end}${asked}`)?.name).toBe(each);
            }
            expect(routes.match(`/${prefix}${each}`)).toBe(undefined);
            expect(routes.match(`${prefix}/${each}`)).toBe(undefined);
          }
        },
      ),
    );
  });

  test('one that is under the prefix already cannot be had twice', () => {
    const routes = new Routes<unknown>('/shop');
    routes.add([routeAt('/shop/livez')]);
    expect(() => routes.add([routeAt('/livez')])).toThrow('it must be a path that no other feature uses');
  });

  test('a route of its own for the slash comes first, whatever the order', () => {
    const [page, slash] = [routeAt('/__health__'), routeAt('/__health__/')];
    for (const order of [
      [page, slash],
      [slash, page],
    ]) {
      const routes = new Routes<unknown>();
      routes.add(order);
      expect(routes.match('/__health__')).toBe(page);
      expect(routes.match('/__health__/')).toBe(slash);
    }
  });

  test.each(['/__heartbeat__', '/__heartbeat__/', '/livez'])('%s cannot be had twice', (taken) => {
    expect(() => routesOf('/livez').add([routeAt(taken)])).toThrow(
      `The path of ${taken} is "${taken}"; it must be a path that no other feature uses.`,
    );
  });
});

describe('the routes of a feature', () => {
  const feature: Feature<unknown> = {
    routes: [
      {
        path: '/readyz',
        name: 'readiness',
        answer: async (request, method, target) => json(200, JSON.stringify({ request, method, target })),
      },
      { path: '/livez', name: 'liveness', immediate: true, answer: () => answerUp },
    ],
  };
  const engineWith = (options: object = {}) => {
    const defaults = { versionPath: '/nowhere', logger: () => silent };
    return engineOf(new HealthCore(resolveOptions(options, defaults), () => [feature]));
  };

  test.each(['/readyz', '/livez', '/livez/?x'])('%s answers methods as the endpoints do', async (target) => {
    const engine = engineWith();
    expect(await engine.handle('GET', target, undefined)).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^\{/),
    });
    expect(await engine.handle('HEAD', target, undefined)).toMatchObject({ status: 200, body: '' });
    expect((await engine.handle('OPTIONS', target, undefined))?.status).toBe(204);
    expect((await engine.handle('POST', target, undefined))?.status).toBe(405);
    expect(engine.handle('GET', '/other', undefined)).toBe(undefined);
  });

  test('are told of the request, its method and its target', async () => {
    const answer = await engineWith().handle('GET', '/readyz?verbose', 'it');
    expect(answer?.body).toBe('{"request":"it","method":"GET","target":"/readyz?verbose"}');
  });

  test('leave no trace where nobody wants one', () => {
    const untraced = { summary: false, echoRequestId: false };
    const trace = (options: object) => {
      const engine = engineWith(options);
      return ['/livez', '/readyz', '/other'].map((target) => engine.needsContext(engine.match(target)));
    };
    expect(trace(untraced)).toEqual([false, true, true]);
    expect(trace({ ...untraced, requestContext: false })).toEqual([false, false, false]);
    expect(trace({ ...untraced, summary: true })).toEqual([true, true, true]);
    expect(trace({ ...untraced, echoRequestId: true })).toEqual([true, true, true]);
  });
});
