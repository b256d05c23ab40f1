// Generated orders of events on a consumer of JetStream, as nats-server counts them.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jetStream } from '../../../src/checks/brokers/nats.js';
import { adapt, looking, settings } from './looking.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const ackWait = 30_000;

/** A pull consumer with explicit acknowledgements: its numbers move as those of the server do. */
class Server {
  published = 0;
  delivered = { consumer_seq: 0, stream_seq: 0 };
  floor = 0;
  /** By their number in the stream: the number of their last delivery, and when that was. */
  readonly pending = new Map<number, { sequence: number; at: number }>();

  deliver(): void {
    if (this.delivered.stream_seq === this.published) return;
    this.delivered.stream_seq += 1;
    this.#send(this.delivered.stream_seq);
  }

  /** Sends again what was given back, or what nobody acknowledged in time. */
  redeliver(message: number): void {
    if (this.pending.has(message)) this.#send(message);
  }

  get late(): number[] {
    const isLate = ({ at }: { at: number }) => performance.now() - at >= ackWait;
    return [...this.pending].filter(([, each]) => isLate(each)).map(([message]) => message);
  }

  /** An acknowledgement, or the end of a message that is not delivered any more. */
  settle(message: number): boolean {
    const held = this.pending.get(message);
    if (held === undefined) return false;
    this.pending.delete(message);
    if (this.pending.size === 0) this.floor = this.delivered.consumer_seq;
    else if (held.sequence === this.floor + 1) {
      const next = Math.min(...[...this.pending.values()].map(({ sequence }) => sequence));
      this.floor = next - 1;
    }
    return true;
  }

  #send(message: number): void {
    this.delivered.consumer_seq += 1;
    this.pending.set(message, { sequence: this.delivered.consumer_seq, at: performance.now() });
  }

  info() {
    return {
      num_pending: this.published - this.delivered.stream_seq,
      num_ack_pending: this.pending.size,
      num_waiting: 1,
      ack_floor: { consumer_seq: this.floor },
      delivered: { ...this.delivered },
      config: { ack_wait: ackWait * 1e6 },
    };
  }
}

describe('a consumer of JetStream', () => {
  const step = fc.record({
    does: fc.constantFrom('publish', 'publish', 'deliver', 'deliver', 'settle', 'giveBack'),
    message: fc.nat(5),
    time: fc.constantFrom(0, 0, 0, 10, 40_000),
    looks: fc.boolean(),
  });

  it('has done something exactly when a message was settled, whatever else arrives and comes again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const server = new Server();
        const given = { info: async () => server.info(), consume: () => {}, fetch: () => {}, next: () => {} };
        const look = await looking(adapt(jetStream, given, settings()));
        let isSettled = false;
        let isGivenBack = false;
        for (const { does, message: at, time, looks } of steps) {
          vi.advanceTimersByTime(time);
          for (const each of server.late) server.redeliver(each);
          const message = [...server.pending.keys()].at(at % (server.pending.size || 1)) ?? 0;
          if (does === 'publish') server.published += 1;
          if (does === 'deliver') server.deliver();
          if (does === 'settle' && server.settle(message)) isSettled = true;
          if (does === 'giveBack' && server.pending.has(message)) {
            server.redeliver(message);
            isGivenBack = true;
          }
          if (!looks) continue;
          const { isDone, failed, pending } = await look();
          expect(isDone).toBe(isSettled);
          expect(pending).toBe(server.published - server.delivered.stream_seq + server.pending.size);
          // What was only late is not a failed attempt.
          if (failed > 0) expect(isGivenBack).toBe(true);
          isSettled = false;
          isGivenBack = false;
        }
      }),
      { numRuns: 300 },
    );
  });
});
