import { expect } from 'vitest';
import type { Check } from 'lifesign/checks';
import { abortController } from '../../../src/core/heartbeat/run.js';
import { resultOf, findingsOf } from '../../../src/core/heartbeat/result.js';
import { type Opinion, aboutOf } from '../../../src/core/heartbeat/check.js';
import { whole } from '../../whole.js';
import { planted } from '../database-scenario.js';

/** The time that the probes give an opinion. */
const time = 2000;

/** Asks for second opinions of a check, as the probes do. */
export function opinionsOf(check: Check) {
  const { scope, secondOpinion } = aboutOf(check);
  if (secondOpinion === undefined) throw new Error('No second opinion is offered');
  secondOpinion.prepare?.();

  /** What the check says, and then the second opinion on it. */
  async function ask(): Promise<Opinion> {
    const run = abortController(performance.now() + 400);
    const late = new Promise<never[]>((resolve) => {
      run.signal.addEventListener('abort', () => resolve([]), { once: true });
    });
    const timer = setTimeout(() => run.abort(new Error('late')), 400);
    const checked = Promise.resolve(check({ signal: run.signal, name: 'asked' })).catch(() => []);
    // The core gives up a run that is late, too.
    const messages = await Promise.race([checked, late]);
    clearTimeout(timer);
    return opinion(messages);
  }

  async function opinion(messages: unknown = []): Promise<Opinion> {
    const controller = abortController(performance.now() + time);
    const checked = { name: 'asked', key: '"asked"', maxLevel: 50 } as const;
    const result = resultOf(
      checked,
      { failsFrom: 30, verdictOf: () => undefined },
      1,
      findingsOf('asked', messages, new Set()),
    );
    const started = performance.now();
    const said = await secondOpinion?.ask({ signal: controller.signal, result });
    // The probes would have given up.
    expect(performance.now() - started).toBeLessThan(time * 5);
    if (said === undefined) throw new Error('No opinion');
    for (const secret of [planted.user, planted.password, 'postgres://', 'mysql://', 'redis://']) {
      expect(said.evidence).not.toContain(secret);
    }
    return said;
  }

  return { scope, ask, opinion, dependency: secondOpinion.dependency };
}

/** Of many clients over one driver some are enough: `npm run test:attack` takes all of them. */
export function someOf<Client extends { readonly name: string }>(
  clients: readonly Client[],
  names: RegExp,
): readonly Client[] {
  return clients.filter(({ name }) => whole || names.test(name));
}
