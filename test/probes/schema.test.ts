import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { leave } from '../core/leave.js';
import { makeProbes } from './make-probes.js';
import { probeBody } from './schema.js';
import { codePoint } from '../core/code-point.js';

afterEach(async () => {
  if (!vi.isFakeTimers()) return;
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

const paths = ['/startupz', '/readyz', '/livez'];

it('every body fits the schema, and its status code, whatever the checks are called and say', async () => {
  const check = fc.record({
    name: fc.string({ minLength: 1, unit: codePoint }).filter((name) => name.trim() !== ''),
    text: fc.string({ unit: codePoint }),
    fails: fc.boolean(),
    scope: fc.constantFrom('instance' as const, 'shared' as const, undefined),
  });
  const checks = fc.uniqueArray(check, { selector: ({ name }) => name, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(checks, fc.boolean(), fc.boolean(), async (given, details, leaves) => {
      const { health, ask, after } = await makeProbes({ restartAfter: 1 }, { details });
      const broken = { now: false };
      for (const { name, text, fails, scope } of given) {
        const said = () => (broken.now && fails ? [new ErrorMessage(text, { id: 'a.E1' })] : []);
        try {
          health.check(name, said, { scope });
        } catch {
          // A name that is refused.
        }
      }
      for (const step of [false, true, true]) {
        broken.now = step;
        for (const path of paths) {
          const { status, body, headers } = await ask(path);
          probeBody(status, body);
          expect(headers['Content-Length']).toBe(String(Buffer.byteLength(body)));
        }
        await after(2000);
      }
      if (leaves) {
        leave(health);
        const { status, body } = await ask('/readyz');
        expect(probeBody(status, body)).toEqual({ status: 'fail', reason: 'the process is shutting down' });
      }
      health.close();
      await vi.runAllTimersAsync();
      vi.useRealTimers();
    }),
    { numRuns: 5 },
  );
}, 30_000);
