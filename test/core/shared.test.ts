import { expect, it, vi } from 'vitest';

/** The package loaded twice, as by a bundled application under `lifesign/auto`. */
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

it('a check may return a message of another copy', async () => {
  for (const kind of ['Debug', 'Info', 'Warning', 'Error', 'Critical'] as const)
    expect(one.checks.isCheckMessage(new other.checks[kind]('text', { id: 'a' }))).toBe(true);
  const health = new one.Health({ logger: false });
  health.check('foreign', () => [new other.checks.Warning('text', { id: 'a' })]);
  expect((await health.heartbeat()).status).toBe('warning');
});
