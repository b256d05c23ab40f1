import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pulse } from '../../src/watchdog/thread/pulse.js';

describe('Pulse', () => {
  it('counts the time in which only this thread ran', () => {
    const pulse = new Pulse(500, 0, 0);
    for (let now = 50; now <= 2000; now += 50) expect(pulse.look(0, now)).toBeUndefined();
    expect(pulse.silent).toBe(2000);
    expect(pulse.look(1, 2050)).toBe(2050);
    expect(pulse.silent).toBe(0);
  });

  it('a time in which both stood still, however long, is no block', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 500.1, max: 1e9, noNaN: true }), { maxLength: 20 }), (gaps) => {
        const pulse = new Pulse(500, 0, 0);
        let now = 0;
        for (const gap of gaps) pulse.look(0, (now += gap));
        return pulse.silent === 0;
      }),
    );
  });

  it('never counts more than has passed, and a clock that goes back for nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 400 }), { maxLength: 50 }), (gaps) => {
        const pulse = new Pulse(500, 0, 0);
        let now = 0;
        for (const gap of gaps) pulse.look(0, (now += gap));
        return pulse.silent === gaps.reduce((sum, gap) => sum + Math.max(0, gap), 0);
      }),
    );
  });
});
