import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from '../say.js';

const emitter = <Members extends object>(members: Members) => Object.assign(new EventEmitter(), members);
const unused = () => {};
const stalledAfter = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a consumer of kafkajs', () => {
  const events = Object.fromEntries(['GROUP_JOIN', 'HEARTBEAT', 'REBALANCING'].map((name) => [name, name]));
  const kafka = () => emitter({ describeGroup: unused, paused: () => [], events });
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
});
