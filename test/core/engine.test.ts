import { describe, expect, test } from 'vitest';
import type { Feature } from '../../src/core/feature.js';
import { engineOf, HealthCore, isHealth } from '../../src/core/health.js';
import type { CoreOptions } from '../../src/core/options/options.js';
import { resolveOptions } from '../../src/core/options/resolve-options.js';
import { RequestContext, runInRequest } from '../../src/core/request/request.js';
import { checks, type LogRecord, requestId } from 'lifesign';
import { makeHealth } from './make-health.js';

const route = (path: string) => ({
  path,
  name: 'a thing',
  answer: () => ({ status: 200, headers: {}, body: '' }),
});

/** The options of a Health whose records go to a function. */
const logging = (log: (record: LogRecord) => void, options: CoreOptions = {}) =>
  resolveOptions(options, { versionPath: '.', logger: () => ({ log }) });

/** A Health with features of its own. */
const featured = (...features: readonly Feature<unknown>[]) =>
  engineOf(
    new HealthCore(
      logging(() => {}),
      () => [...features],
    ),
  );

test.each([
  [{}, true, true],
  [{ summary: false }, true, false],
  [{ summary: false, requestContext: false }, false, false],
  [{ summary: false, requestContext: false, echoRequestId: true }, true, true],
  [{ requestContext: false }, true, true],
])('%j: something is kept of a request %s, of one that is answered at once %s', (options, kept, atOnce) => {
  const engine = engineOf(makeHealth(options).health);
  expect(engine.needsContext(undefined)).toBe(kept);
  expect(engine.needsContext(engine.match('/__heartbeat__'))).toBe(kept);
  expect(engine.needsContext(engine.match('/__lbheartbeat__'))).toBe(atOnce);
});

test('with a port of their own the endpoints are hidden where the option says so', () => {
  const shownAt = (options: CoreOptions) => {
    const engine = engineOf(makeHealth(options).health);
    return [
      engine.match('/__lbheartbeat__') !== undefined,
      engine.matchAny('/__lbheartbeat__') !== undefined,
    ];
  };
  expect(shownAt({ healthPort: 9000, healthPortOnly: true })).toEqual([false, true]);
  expect(shownAt({ healthPort: 9000 })).toEqual([true, true]);
  expect(shownAt({ healthPortOnly: true })).toEqual([true, true]);
});

test('load balancers are refused only where that is said', () => {
  const left: boolean[] = [];
  const engine = featured({ onLeave: (refusing) => void left.push(refusing) }, {});
  const status = () => engine.handle('GET', '/__lbheartbeat__', undefined);
  expect(status()).toMatchObject({ status: 200 });
  engine.leave(false);
  expect(status()).toMatchObject({ status: 200 });
  engine.leave(true);
  expect(status()).toMatchObject({ status: 503, body: '{"status":"draining"}' });
  expect(left).toEqual([false, true]);
});

test('HEAD is answered without a body, at once and later', async () => {
  const engine = engineOf(makeHealth().health);
  expect(engine.handle('HEAD', '/__lbheartbeat__', undefined)).toMatchObject({ status: 200, body: '' });
  expect(await engine.handle('HEAD', '/__heartbeat__', undefined)).toMatchObject({ status: 200, body: '' });
  expect(engine.handle('POST', '/__heartbeat__', undefined)).toMatchObject({ status: 405 });
  expect(engine.handle('GET', '/', undefined)).toBeUndefined();
});

describe('a feature', () => {
  test('answers its routes, hears of heartbeats and is closed', async () => {
    const heard: unknown[] = [];
    const engine = featured({
      routes: [route('/__thing__')],
      onHeartbeat: ({ status }) => void heard.push(status),
      close: () => void heard.push('closed'),
    });
    engine.onClose(() => void heard.push('closed too'));
    expect(engine.handle('GET', '/__thing__/?x', undefined)).toMatchObject({ status: 200 });
    await engine.heartbeat();
    engine.close();
    expect(heard).toEqual(['ok', 'closed', 'closed too']);
  });

  test('may not answer the path of another, nor one of the three', () => {
    for (const path of ['/__heartbeat__', '/__version__', '/__lbheartbeat__']) {
      expect(() => featured({ routes: [route(path)] })).toThrow(`The path of a thing is "${path}"`);
    }
    expect(() => featured({ routes: [route('/a')] }, { routes: [route('/a')] })).toThrow(
      'it must be a path that no other feature uses. Change one of the two.',
    );
  });

  test('is given what it may know', async () => {
    const seen: unknown[] = [];
    const options = logging(({ level, logger, msg }) => void seen.push([logger, level, msg]), {
      details: false,
    });
    const health = new HealthCore(options, (host) => {
      seen.push(host.options === options, host.draining(), host.showsDetails({}));
      host.onError('It broke', new Error('x'));
      return [{ onLeave: () => void seen.push(host.draining()) }];
    });
    engineOf(health).leave(false);
    expect(seen).toEqual([true, false, false, ['health', 40, 'It broke'], true]);
  });
});

test('options for a check that is not there are refused, by their own name', () => {
  const { health } = makeHealth({ checkOptions: { storage: { timeout: 5 } } });
  const engine = engineOf(health);
  expect(() => engine.requireKnownChecks()).toThrow('Option checkOptions has options for "storage"');
  expect(() => engine.requireKnownChecks('HEALTH_CHECK_OPTIONS')).toThrow('HEALTH_CHECK_OPTIONS has options');
  health.check('storage', () => []);
  expect(() => engine.requireKnownChecks()).not.toThrow();
});

describe('a summary', () => {
  const summary = { method: 'GET', target: '/', code: 200, complete: true, agent: '', lang: '' };

  test('is logged inside its request, where the options want one', () => {
    const ids: (string | undefined)[] = [];
    const log = () => void ids.push(requestId());
    for (const options of [{}, { summary: false }]) {
      const engine = engineOf(new HealthCore(logging(log, options)));
      engine.summarise(new RequestContext({ givenId: 'r' }), summary);
    }
    expect(ids).toEqual(['r']);
  });

  test('of a request that was matched is ours by that, else by its target', () => {
    const { health, records } = makeHealth({ summary: { healthEndpoints: false } });
    const logged = (isHealthRequest: boolean | undefined, target: string) => {
      const context = Object.assign(
        new RequestContext({ givenId: 'r' }),
        isHealthRequest === undefined ? {} : { isHealthRequest },
      );
      const before = records.length;
      engineOf(health).summarise(context, { ...summary, target });
      return records.length > before;
    };
    expect(logged(undefined, '/')).toBe(true);
    expect(logged(undefined, '/__heartbeat__')).toBe(false);
    expect(logged(true, '/')).toBe(false);
    expect(logged(false, '/__heartbeat__')).toBe(true);
  });
});

test('what checks say is logged with the request that asked, and nothing where all is well', async () => {
  const { health, records } = makeHealth();
  let bad = false;
  health.check('moody', () => (bad ? [new checks.Info('low', { id: 'a.I' })] : []));
  await health.heartbeat();
  expect(records).toEqual([]);
  bad = true;
  await runInRequest(new RequestContext({ givenId: 'r' }), () => health.heartbeat());
  await health.heartbeat();
  expect(records.map(({ fields }) => fields['rid'])).toEqual(['r', undefined]);
});

test('a logger that throws or rejects loses its records and nothing else', async () => {
  for (const log of [
    () => {
      throw new Error('disk full');
    },
    () => Promise.reject(new Error('disk full')),
  ]) {
    const health = new HealthCore(logging(log));
    health.check('bad', () => [new checks.Error('x', { id: 'a.E' })]);
    expect((await health.heartbeat()).status).toBe('error');
  }
});

test('a Health is told from other things', () => {
  expect([makeHealth().health, {}, null, undefined, 'health'].map(isHealth)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(Object.keys(makeHealth().health)).toContain('options');
});

test('started() can be handed on, and features hear of it', () => {
  const heard: string[] = [];
  const health = new HealthCore(
    logging(() => {}),
    () => [{ onStarted: () => void heard.push('started') }, {}],
  );
  const { started } = health;
  started();
  expect(heard).toEqual(['started']);
});

test('the outermost application says what the request and its user are', () => {
  const context = new RequestContext({ givenId: 'r' });
  const [outer, inner] = [{}, {}];
  context.note(outer);
  expect([context.request, context.user]).toEqual([outer, undefined]);
  const user = () => 'ada';
  context.note(inner, user);
  context.note(inner, () => 'bob');
  expect(context.request).toBe(outer);
  expect(context.user).toBe(user);
});
