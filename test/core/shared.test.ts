import { expect, it, vi } from 'vitest';

/** The package loaded twice, as by an application of ES modules with a CommonJS plugin. */
async function load() {
  vi.resetModules();
  const [{ checks, signals, requestId }, { Health }] = await Promise.all([
    import('lifesign'),
    import('lifesign/fetch'),
  ]);
  return { checks, signals, requestId, Health };
}
const [one, other] = [await load(), await load()];

it('two copies of the package have one emitter of signals, and know the request that the other runs', async () => {
  expect(one.checks).not.toBe(other.checks);
  expect(one.signals).toBe(other.signals);
  const heard: unknown[] = [];
  const health = new one.Health({ logger: false });
  const wrapped = health.wrap(() => {
    heard.push(one.requestId(), other.requestId());
    return new Response();
  });
  await wrapped(new Request('http://localhost/', { headers: { 'X-Request-Id': 'abc' } }));
  expect([...heard, other.requestId()]).toEqual(['abc', 'abc', undefined]);
});

it('a message of another copy is an instance of its own kind and of no other', async () => {
  const kinds = ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const;
  for (const kind of kinds) {
    const message = new other.checks[kind]('text', { id: 'a' });
    expect(one.checks.isCheckMessage(message)).toBe(true);
    for (const each of kinds) expect(message instanceof one.checks[each]).toBe(each === kind);
    for (const value of [{ text: 'x', id: 'y', level: 30 }, null, 'text', {}]) {
      expect(value instanceof one.checks[kind]).toBe(false);
    }
  }
  const health = new one.Health({ logger: false });
  health.check('foreign', () => [new other.checks.Warning('text', { id: 'a' })]);
  expect((await health.heartbeat()).status).toBe('warning');
});

it('and is no instance of a class that somebody derived here', () => {
  class DiskWarning extends one.checks.Warning {}
  class CopyWarning extends other.checks.Warning {}
  const derived = new CopyWarning('text', { id: 'a' });
  expect(derived instanceof one.checks.Warning).toBe(true);
  expect(derived instanceof DiskWarning).toBe(false);
  expect(new one.checks.Warning('text', { id: 'a' }) instanceof DiskWarning).toBe(false);
  expect(new DiskWarning('text', { id: 'a' }) instanceof DiskWarning).toBe(true);
});
