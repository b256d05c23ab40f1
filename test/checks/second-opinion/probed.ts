import { expect, onTestFinished } from 'vitest';
import type { Check } from 'lifesign/checks';
import { createHandler, type HealthOptions } from 'lifesign';
import { planted } from '../database-scenario.js';

const secrets = [planted.user, 'S3cret', planted.password, 'postgres://', 'mysql://', 'redis://'];

/** A Health whose probes run its checks and ask for second opinions all the time. */
export function probed(options: HealthOptions, check?: Check) {
  const handle = createHandler({
    timeout: 300,
    logger: false,
    probes: { probeEvery: 50, secondOpinionEvery: 50 },
    ...options,
  });
  const { health } = handle;
  if (check !== undefined) health.check('probed', check);
  onTestFinished(() => health.close());

  /** The checks as the readiness probe tells of them, such as `[-]probed failed: instance: a fresh connection works (health.E012: …)`. */
  async function lines(): Promise<string> {
    const answer = await handle('GET', '/readyz?verbose', {});
    const text = answer?.body.split('\n').slice(2, -2).join('\n') ?? '';
    for (const secret of secrets) expect(text).not.toContain(secret);
    return text;
  }
  /** Probes until they tell this, which comes before the message of the check. */
  const until = (what: RegExp, timeout = 30_000) =>
    expect
      .poll(async () => (await lines()).replaceAll(/ \(health\..*$/gm, ''), { timeout, interval: 20 })
      .toMatch(what);
  return { health, until };
}
