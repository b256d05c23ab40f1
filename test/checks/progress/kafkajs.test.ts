import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from '../say.js';

const emitter = <Members extends object>(members: Members) => Object.assign(new EventEmitter(), members);
const unused = () => {};
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const stalledAfter = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a consumer of kafkajs', () => {
  const names = [
    'GROUP_JOIN',
    'HEARTBEAT',
    'START_BATCH_PROCESS',
    'END_BATCH_PROCESS',
    'REBALANCING',
    'CRASH',
    'STOP',
    'DISCONNECT',
  ];
  const all = Object.fromEntries(names.map((name) => [name, name]));
  const kafka = (paused: object[] = [], events: object = all) =>
    emitter({ describeGroup: unused, paused: () => paused, events });
  const tell = (consumer: EventEmitter, event: string, payload?: object) => consumer.emit(event, { payload });
  const check = (consumer: object, time = stalledAfter) =>
    checks.progress({ consumer, stalledAfter: time } as never);
  const not = (text: string) => [`Error health.E037: The consumer is not taking work: ${text}`];

  async function started(consumer: object, time?: number) {
    const made = check(consumer, time);
    expect(await say(made)).toEqual([]);
    return made;
  }

  it('that is in no group is told after its time, until it joins', async () => {
    const consumer = kafka();
    const made = await started(consumer);
    vi.advanceTimersByTime(stalledAfter);
    expect(await say(made)).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(await say(made)).toEqual(not('it has not been in a group for 61 s'));
    tell(consumer, 'GROUP_JOIN', { memberAssignment: null });
    expect(await say(made)).toEqual([]);
    tell(consumer, 'REBALANCING');
    vi.advanceTimersByTime(stalledAfter);
    // Since the first time.
    tell(consumer, 'REBALANCING');
    vi.advanceTimersByTime(1000);
    expect(await say(made)).toEqual(not('it has not been in a group for 61 s'));
  });

  it('that tells its group nothing is told, and not before its group would notice', async () => {
    const consumer = kafka();
    const made = await started(consumer, 5000);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0] } });
    vi.advanceTimersByTime(29_000);
    expect(await say(made)).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(await say(made)).toEqual(not('no heartbeat sent to its group for 31 s'));
    tell(consumer, 'HEARTBEAT');
    expect(await say(made)).toEqual([]);
  });

  it('that works on a batch is judged by what is left of it', async () => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0, 1] } });
    tell(consumer, 'START_BATCH_PROCESS', { topic: 'jobs', partition: 0, offsetLag: '4', batchSize: 3 });
    tell(consumer, 'START_BATCH_PROCESS', { topic: 'jobs', partition: 1, offsetLag: 'unknown' });
    expect(await say(made)).toEqual([]);
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await say(made)).toEqual([
      'Error health.E036: No progress for 61 s: 7 waiting or in progress; no heartbeat sent to its group for 61 s',
    ]);
    tell(consumer, 'END_BATCH_PROCESS', { topic: 'jobs', partition: 0, offsetLag: '-1' });
    tell(consumer, 'HEARTBEAT');
    expect(await say(made)).toEqual([]);
  });

  it.each([
    [false, 'it crashed: connection refused (ECONNREFUSED)'],
    [true, 'it crashed: connection refused (ECONNREFUSED), kafkajs will restart it'],
  ])('that crashed tells why, and whether it starts again: %j', async (restart, text) => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, 'CRASH', { error: refused, restart });
    // It stops for the same reason.
    tell(consumer, 'STOP');
    expect(await say(made)).toEqual(not(text));
    tell(consumer, 'GROUP_JOIN', {});
    expect(await say(made)).toEqual([]);
  });

  it.each(['STOP', 'DISCONNECT'])('that was stopped is told: %s', async (event) => {
    const consumer = kafka();
    const made = await started(consumer);
    tell(consumer, event);
    expect(await say(made)).toEqual(not('it was stopped'));
  });

  it('is paused where all that it was given is', async () => {
    const paused: object[] = [{ topic: 'jobs', partitions: [0] }];
    const consumer = kafka(paused);
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', { memberAssignment: { jobs: [0, 1], none: 'hidden' } });
    expect(await say(made)).toEqual([]);
    paused.push({ topic: 'jobs', partitions: [1] });
    expect(await say(made)).toEqual([expect.stringMatching(/^Info health\.I006: Work is paused/)]);
  });

  it('that shows few events is followed by those', async () => {
    const consumer = kafka([], { GROUP_JOIN: 'GROUP_JOIN', HEARTBEAT: 'HEARTBEAT' });
    const made = await started(consumer);
    tell(consumer, 'GROUP_JOIN', {});
    vi.advanceTimersByTime(stalledAfter + 1000);
    expect(await say(made)).toEqual(not('no heartbeat sent to its group for 61 s'));
  });
});
