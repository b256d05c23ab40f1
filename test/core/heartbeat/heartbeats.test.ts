import { expect, it } from 'vitest';
import type { RegisteredCheck } from '../../../src/core/heartbeat/check.js';
import { Heartbeats } from '../../../src/core/heartbeat/heartbeats.js';
import { Registry } from '../../../src/core/heartbeat/registry.js';
import { resolveOptions } from '../../../src/core/options/options.js';
import { silent } from '../../../src/core/log.js';
import { deferred, turn } from '../waiting.js';

/** Heartbeats over one check, how often it ran, and who was told. */
function makeHeartbeats(announce: () => boolean = () => false) {
  const options = resolveOptions({}, { versionPath: '.', logger: () => silent });
  const registry = new Registry(options);
  const seen = { runs: 0, announced: 0, sources: new Array<string>() };
  const gates: ReturnType<typeof deferred>[] = [];
  registry.add('counted', () => {
    seen.runs += 1;
    const gate = deferred();
    gates.push(gate);
    return gate.promise;
  });
  const checks: { readonly checks: readonly RegisteredCheck[] } = registry;
  const told = (_heartbeat: unknown, source: string) => {
    seen.announced += 1;
    seen.sources.push(source);
    return announce();
  };
  const heartbeats = new Heartbeats(checks, options, told, { inside: false, asked: false });
  const release = () => {
    for (const { resolve } of gates.splice(0)) resolve();
  };
  return { heartbeats, seen, release };
}

it('observers share a run, which is announced once as one for the probes; the next one runs anew', async () => {
  const { heartbeats, seen, release } = makeHeartbeats();
  const observed = [heartbeats.observe(), heartbeats.observe()];
  expect(seen.runs).toBe(1);
  release();
  const [first, second] = await Promise.all(observed);
  expect(first).toBe(second);
  expect(first).toMatchObject({ status: 'ok', results: [{ name: 'counted' }] });
  expect(seen.sources).toEqual(['probe']);
  const next = heartbeats.observe();
  expect(seen.runs).toBe(2);
  release();
  expect(await next).not.toBe(first);
});

it('who observes or joins while a heartbeat is under way gets that one', async () => {
  const { heartbeats, seen, release } = makeHeartbeats();
  const running = heartbeats.run();
  const others = [heartbeats.observe(), heartbeats.join()];
  expect(seen.runs).toBe(1);
  release();
  const heartbeat = await running;
  for (const other of await Promise.all(others)) expect(other).toBe(heartbeat);
  expect(seen.announced).toBe(1);
  const joined = heartbeats.join();
  expect(seen.runs).toBe(2);
  release();
  await joined;
  expect(seen.announced).toBe(2);
});

it('where those who are told throw, the answer stands, and the next heartbeat waits for a turn', async () => {
  const { heartbeats, seen, release } = makeHeartbeats(() => {
    throw new Error('theirs');
  });
  const running = heartbeats.run();
  release();
  expect(await running).toMatchObject({ status: 'ok' });
  const next = heartbeats.run();
  expect(seen.runs).toBe(1);
  await turn();
  await turn();
  expect(seen.runs).toBe(2);
  release();
  expect(await next).toMatchObject({ status: 'ok' });
});
