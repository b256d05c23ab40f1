import { expect, it } from 'vitest';
import { answerUp } from '../../../src/core/endpoints.js';
import { respond } from '../../../src/http/node/serve.js';

it.each([
  ['at once', answerUp],
  ['later', Promise.resolve(answerUp)],
])(
  'an answer that comes %s and cannot be written is logged, and its connection closed',
  async (_when, answer) => {
    const thrown = new Error('theirs');
    const logged: unknown[] = [];
    let destroyed = 0;
    const res = {
      headersSent: false,
      getHeader: () => undefined,
      writeHead: () => {
        throw thrown;
      },
      destroy: () => void (destroyed += 1),
    };
    const logError = (msg: string, error: unknown) => void logged.push([msg, error]);
    respond({ logError }, {} as never, res as never, answer);
    await answer;
    await Promise.resolve();
    expect(logged).toEqual([['An answer could not be written', thrown]]);
    expect(destroyed).toBe(1);
  },
);
