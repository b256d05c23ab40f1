import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { behaviours, garbage, hostile, measured, unprinted } from '../../cli/test/hostile.js';
import { JsonLogFormatter } from 'lifesign/logging';
import { usualSummary } from '../logging/usual-summary.js';

const maxMegabytes = 250;
const name = fc.constantFrom(...Object.keys(behaviours));
const behaviour = fc.oneof(
  garbage,
  name.map((key) => behaviours[key] ?? (() => {})),
);

test.each(['verify', 'probe'])(
  '%s ends with bounded memory against hundreds of generated servers',
  async (command) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 6 }),
        fc.nat(4),
        async (kinds, right) => {
          const server = await hostile((_, nth) =>
            nth <= right || nth % 5 === 0
              ? (behaviours['the right answer'] ?? (() => {}))
              : (kinds[nth % kinds.length] ?? (() => {})),
          );
          const outcome = await measured([command, `http://127.0.0.1:${server.port}`, '--timeout', '150ms']);
          server.close();
          expect([0, 1]).toContain(outcome.code);
          expect(outcome.stdout + outcome.stderr).not.toMatch(unprinted);
          expect(outcome.megabytes).toBeLessThan(maxMegabytes);
        },
      ),
      { numRuns: 300, interruptAfterTimeLimit: 120_000 },
    );
  },
);

test('verify --logs: 200 MB of log take no more memory than a line', async () => {
  // Each of a request of its own: one that has two summaries is a finding.
  const fields = { ...usualSummary, rid: 'its-id' };
  const record = { logger: 'request.summary', level: 20, time: Date.now(), fields } as const;
  const line = `${new JsonLogFormatter().format(record)}\n`;
  let requests = 0;
  const block = () =>
    Array.from({ length: 2000 }, () => line.replace('its-id', `r${(requests += 1)}`)).join('');
  const { code, stdout, megabytes } = await measured(['verify', '--logs', '-'], {
    async input(stdin) {
      while (requests * line.length < 200_000_000) {
        if (!stdin.write(block())) await new Promise((resolve) => stdin.once('drain', resolve));
      }
      stdin.end();
    },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+ passed, 0 failed/m) });
  expect(megabytes).toBeLessThan(maxMegabytes);
});
