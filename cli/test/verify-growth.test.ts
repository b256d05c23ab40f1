import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { inProcess as lifesign } from '../../test/command/run.js';
import { start } from './broken/service.js';
import { inProcess } from './run.js';

/** Lets every rule look at a body and at headers made of a text. */
async function judged(text: string): Promise<void> {
  const service = await start((answer) => {
    answer.body = text;
    for (const name of ['Vary', 'Allow', 'Location']) answer.headers[name] = encodeURI(text.slice(0, 4000));
  });
  await inProcess(['verify', service.url, '--json']);
  await service.close();
}

const subjects: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'the rules of verify': judged,
  'addresses of version': (text) =>
    lifesign(['version', '--out', '-', '--set', 'commit=abc', '--set', `source=${text}`]),
};

/** CPU time in milliseconds. */
async function milliseconds(run: () => Promise<unknown>): Promise<number> {
  const started = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

// What the patterns themselves are made of, repeated in every order.
const pieces =
  'a|a.|1|-|:|://|/|@|?|#| |,|, |=|http://|.git|"|\'|\n|\\n|\t| at |:1|:1:|\\n at |eyJ|eyJ-|user:|password|{|[';
const unit = fc
  .array(fc.constantFrom(...pieces.split('|')), { minLength: 1, maxLength: 4 })
  .map((some) => some.join(''));

test.each(Object.entries(subjects))(
  '%s: eight times the text takes nowhere near sixty-four times as long',
  async (_, subject) => {
    await fc.assert(
      fc.asyncProperty(unit, unit, async (first, repeated) => {
        const text = (length: number) =>
          first + repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length);
        const ratios = [];
        // A pattern that is to blame is so each time; a busy machine is not.
        for (let attempt = 0; attempt < 4; attempt += 1) {
          const large = await milliseconds(() => subject(text(128_000)));
          const ratio = large / (await milliseconds(() => subject(text(16_000))));
          if (ratio < 32) return;
          ratios.push(ratio);
        }
        expect({ first, repeated, ratios }).toBeUndefined();
      }),
      { numRuns: 30, interruptAfterTimeLimit: 20_000, examples: [['', 'http://a,']] },
    );
  },
);
