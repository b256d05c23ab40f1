import fc from 'fast-check';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { expectSound } from './sound-schedule.js';
import { whole } from '../../whole.js';
import { play, schedules } from './schedules.js';

beforeAll(() => void vi.useFakeTimers());
afterAll(() => void vi.useRealTimers());

// `npm run test:attack` plays thousands of them.
const numRuns = whole ? 3000 : 60;

test('whatever is asked in whichever order, every request is answered, with every check, within the limits', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (schedule) => expectSound(schedule, await play(schedule))),
    { numRuns },
  );
});
