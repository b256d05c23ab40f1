import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostileCheck, hostileFunction, secret } from './hostile-checks.js';
import { Health, type HealthOptions } from 'lifesign/fetch';
import { makeHealth } from '../make-health.js';
import { turn } from '../waiting.js';

/** Everything that would have ended the process while `run` ran, and a little later. */
async function endings(run: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = (thrown: unknown) => void seen.push(thrown);
  const others = (['uncaughtException', 'unhandledRejection'] as const).map(
    (name) => [name, process.listeners(name as never)] as const,
  );
  for (const [name] of others) process.removeAllListeners(name).on(name, note);
  try {
    await run();
    await turn();
  } finally {
    for (const [name, listeners] of others) {
      process.removeAllListeners(name);
      for (const listener of listeners) process.on(name, listener);
    }
  }
  return seen;
}

const words = new Set(['ok', 'debug', 'info', 'warning', 'error', 'critical']);

const runs = Number(process.env['HOSTILE_RUNS'] ?? 60);

it('whatever checks do, a heartbeat answers with valid JSON, the others report, and the process lives', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileCheck, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (made, cached) => {
        const { health, records, ask } = makeHealth({ timeout: 20, ...(cached && { cacheFor: 5 }) });
        made.forEach((check, index) => health.check(`check ${index}`, check(health, ask)));
        health.check('well', () => []);
        const ended = await endings(async () => {
          for (let beat = 0; beat < 3; beat += 1) {
            const answer = await ask();
            expect([200, 500]).toContain(answer.status);
            const report = JSON.parse(answer.body);
            expect(Object.keys(report.checks)).toEqual([
              ...made.map((_check, index) => `check ${index}`),
              'well',
            ]);
            expect(report.checks.well).toBe('ok');
            for (const status of Object.values(report.checks)) expect(words).toContain(status);
            for (const { messages } of Object.values<{ messages: object }>(report.details)) {
              expect(Object.keys(messages).length).toBeGreaterThan(0);
              for (const text of Object.values(messages)) expect(text).toBeTypeOf('string');
            }
            expect(answer.body).not.toContain(secret);
            expect(answer.body.length).toBeLessThan(2_000_000);
          }
          health.close();
        });
        expect(ended).toEqual([]);
        for (const { msg, fields } of records)
          expect(`${msg} ${JSON.stringify(fields)}`).not.toContain(secret);
      },
    ),
    { numRuns: runs },
  );
}, 600_000);

it('whatever details, uid, a logger, a listener or a version callback do, the process lives', async () => {
  await fc.assert(
    fc.asyncProperty(hostileFunction, async (odd) => {
      // Wrong types on purpose, as above.
      const options = {
        details: odd,
        uid: odd,
        summary: { fields: odd, ignore: odd },
        timeout: 20,
      };
      const health = new Health({ ...options, logger: { log: odd } } as HealthOptions);
      const wrapped = health.wrap(() => new Response('served'));
      health.on('heartbeatPassed', odd);
      health.once('heartbeatPassed', odd);
      health.versionCallback(odd as never);
      const ended = await endings(async () => {
        const answer = await health.respond(new Request('http://localhost/__heartbeat__'));
        expect(answer?.status).toBe(200);
        // Details are shown by true and by nothing else.
        expect(['{"status":"ok"}', '{"status":"ok","checks":{},"details":{}}']).toContain(
          await answer?.text(),
        );
        const version = await health.respond(new Request('http://localhost/__version__'));
        expect([200, 404, 500]).toContain(version?.status);
        expect(await version?.json()).toBeTypeOf('object');
        // With a summary, for which uid, ignore and fields are asked.
        expect((await wrapped(new Request('http://localhost/'))).status).toBe(200);
        health.close();
      });
      expect(ended).toEqual([]);
    }),
    { numRuns: runs },
  );
}, 600_000);
