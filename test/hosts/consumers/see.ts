import type { Check } from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { createServer } from 'node:http';
import { expect } from 'vitest';

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A check in a Health, as an application has it. */
export function watch(
  check: Check,
  timeout = 3000,
): {
  readonly health: Health;
  say(): Promise<string>;
  /** Beats until the check says this and nothing else: an id and words of its text, or `ok`. */
  see(expected: string): Promise<void>;
  /** Beats for a while: all is well each time. */
  ok(milliseconds: number): Promise<void>;
} {
  const health = new Health(createServer(), { logger: false, timeout });
  health.check('progress', check);
  const say = async () => {
    const [result] = (await health.heartbeat()).results;
    return result?.messages.map(({ id, text }) => `${id} ${text}`).join('\n') || 'ok';
  };
  return {
    health,
    say,
    see: (expected) => expect.poll(say, { timeout: 60_000, interval: 100 }).toMatch(pattern(expected)),
    async ok(milliseconds) {
      for (const end = Date.now() + milliseconds; Date.now() < end; await pause(50)) {
        expect(await say()).toBe('ok');
      }
    },
  };
}

/** `health.E036 hangs` is that id, and its text has that word. */
function pattern(expected: string): RegExp {
  const [id = '', ...words] = expected.split(' ');
  return new RegExp(`^${escape(id)}.*${escape(words.join(' '))}`);
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
