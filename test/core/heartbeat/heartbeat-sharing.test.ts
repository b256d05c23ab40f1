import { expect, it, vi } from 'vitest';
import { Warning } from 'lifesign/checks';
import type { RegisteredCheck } from '../../../src/core/heartbeat/check.js';
import { SharedHeartbeats } from '../../../src/core/heartbeat/heartbeat-sharing.js';
import { Registry } from '../../../src/core/heartbeat/registry.js';
import { resolveOptions } from '../../../src/core/options/resolve-options.js';
import { silent } from '../../../src/core/log.js';
import { HealthCore } from '../../../src/core/health.js';
import type { Feature, FeatureHost } from '../../../src/core/feature.js';
import { HeartbeatAnswers } from '../../../src/core/heartbeat/heartbeat-answers.js';
import { Contexts, LentContext } from '../../../src/core/heartbeat/contexts.js';
import { makeHealth, report } from '../make-health.js';
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
  const heartbeats = new SharedHeartbeats(checks, options, told, { inside: false, asked: false });
  const release = () => {
    for (const { resolve } of gates.splice(0)) resolve();
  };
  const releaseLast = () => gates.pop()?.resolve();
  return { heartbeats, seen, release, releaseLast };
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

it('who observes or joins never gets a heartbeat that is over, also while an earlier one is under way', async () => {
  const { heartbeats, seen, release, releaseLast } = makeHeartbeats();
  const slow = heartbeats.run();
  const fast = heartbeats.run();
  releaseLast();
  const over = await fast;
  const others = [heartbeats.observe(), heartbeats.join()];
  expect(seen.runs).toBe(4);
  release();
  for (const other of await Promise.all(others)) expect(other).not.toBe(over);
  await slow;
});

it('a heartbeat that began before a check was registered is not shared with later callers', async () => {
  const { health } = makeHealth({ coalesce: true });
  const gate = deferred();
  health.check('early', () => gate.promise);
  const before = health.heartbeat();
  health.check('late', () => {});
  const after = health.heartbeat();
  gate.resolve();
  expect((await before).results.map(({ name }) => name)).toEqual(['early']);
  expect((await after).results.map(({ name }) => name)).toEqual(['early', 'late']);
});

it('with coalesce a heartbeat waits for the run that a probe began, and the log has what it said, once', async () => {
  const { health, records } = makeHealth({ coalesce: true });
  let host: FeatureHost<unknown> | undefined;
  const core = new HealthCore(health.options, (given): Feature<unknown>[] => {
    host = given;
    return [];
  });
  let runs = 0;
  const gate = deferred();
  core.check('slow', async () => {
    runs += 1;
    await gate.promise;
    return new Warning('slow', { id: 'a.W' });
  });
  const observed = host?.observe();
  const beats = [core.heartbeat(), core.heartbeat()];
  gate.resolve();
  await observed;
  await Promise.all(beats);
  expect(runs).toBe(1);
  expect(records.filter(({ msg }) => msg === 'a.W: slow')).toHaveLength(1);
});

it('an error of our own while a check is started is an error in the report and in the log', async () => {
  const { health, records } = makeHealth();
  health.check('well', () => []);
  health.check('lost', () => []);
  const thrown = new Error('ours');
  const start = vi.spyOn(Contexts.prototype, 'lend').mockImplementation(function lend(this: Contexts, run) {
    if ((run as { check?: { name: string } }).check?.name === 'lost') throw thrown;
    return new LentContext('well', run);
  });
  const { status, body } = await report(health);
  start.mockRestore();
  expect(status).toBe(500);
  expect(body).toMatchObject({
    checks: { well: 'ok', lost: 'error' },
    details: { lost: { messages: { 'health.E041': expect.stringContaining('error inside lifesign') } } },
  });
  expect(records.find(({ msg }) => msg?.startsWith('health.E041'))?.error).toBe(thrown);
});

it('an error of our own while an answer is made is an answer and in the log', async () => {
  const { health, records } = makeHealth();
  const thrown = new Error('ours');
  const answer = vi.spyOn(HeartbeatAnswers.prototype, 'answer').mockImplementation(() => {
    throw thrown;
  });
  expect(await report(health)).toEqual({ status: 500, body: { error: 'lifesign failed, see the log' } });
  answer.mockRestore();
  expect(records.find(({ msg }) => msg === '/__heartbeat__ failed')?.error).toBe(thrown);
});
