import { createServer } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Health } from 'lifesign/node';
import { isToken, sameCharacters } from '../../src/http/error-endpoint/token.js';
import { throwingChain } from '../../src/http/error-endpoint/chain.js';
import { createHandler } from 'lifesign';
import { collect, listening, until } from './serving.js';

const token = 'f3b1c2d4e5a697880123456789abcdef';
const headers = { authorization: `Bearer ${token}` };

test('a token is equal to itself alone, with node:crypto and without', () => {
  const text = fc.stringMatching(/^[!-~]{0,40}$/);
  fc.assert(
    fc.property(text, text, fc.nat(40), (first, second, cut) => {
      for (const [a, b] of [
        [first, second],
        [first, first],
        [first, first.slice(0, cut)],
        [first + first, first],
      ] as const) {
        // Options refuse an empty one.
        if (b === '') continue;
        expect(isToken(a, b)).toBe(a === b);
        expect(sameCharacters(a, b)).toBe(a === b);
      }
    }),
  );
});

test('without node:crypto every character is looked at, whichever is wrong', () => {
  const looks = (given: string) => {
    let count = 0;
    const counted = Object.assign(Object(given), {
      charCodeAt(index: number) {
        count += 1;
        return given.charCodeAt(index);
      },
    });
    sameCharacters(counted, token);
    return count;
  };
  for (const wrong of [0, 15, 31]) {
    const given = `${token.slice(0, wrong)}X${token.slice(wrong + 1)}`;
    expect(looks(given)).toBe(32);
  }
  expect(looks(token)).toBe(32);
});

test('createHandler throws the error, and answers all else', async () => {
  const { logger, records } = collect();
  const handle = createHandler({ errorEndpoint: { token }, logger });
  expect(() => handle('GET', '/__error__', { headers })).toThrow('The /__error__ endpoint was called');
  expect(handle('GET', '/__error__', { headers: {} })).toBeUndefined();
  expect(handle('GET', '/__error__', undefined)).toBeUndefined();
  expect(await handle('GET', '/__lbheartbeat__', { headers })).toMatchObject({ status: 200 });
  expect(records.map(({ logger: name, msg }) => [name, msg])).toEqual([
    ['health', 'The /__error__ endpoint was called'],
  ]);
});

test('a path of another feature is refused, and onError where a framework has a handler', () => {
  const both = { errorEndpoint: { token }, metrics: { path: '/__error__' }, logger: false } as const;
  expect(() => createHandler(both)).toThrow('omitted while another feature is served at /__error__');
  const handled = { errorEndpoint: { token, onError: () => {} }, logger: false } as const;
  expect(() => createHandler(handled)).toThrow('Option errorEndpoint.onError is the function onError');
});

test('node:http without onError is refused at start, with what to write', () => {
  const make = () => new Health({ errorEndpoint: { token }, logger: false });
  expect(make).toThrow(expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }));
  expect(make).toThrow('write errorEndpoint: { token, onError: (error, req, res) => … }');
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('reporter is broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('reporter is broken'))],
])('an onError that %s ends the connection and not the process', async (_how, onError) => {
  const { logger, records, summaries } = collect();
  const server = createServer((_req, res) => res.end('hello'));
  new Health(server, { errorEndpoint: { token, onError }, logger });
  const origin = await listening(server);
  await expect(fetch(`${origin}/__error__`, { headers })).rejects.toThrow();
  await until(() => summaries().length === 1);
  expect(summaries()[0]?.fields).toMatchObject({ errno: 500, path: '/__error__' });
  expect(summaries()[0]?.msg).toMatch(/^The \/__error__ endpoint was called/);
  const failed = records.find(({ msg }) => msg === 'errorEndpoint.onError failed');
  expect(failed?.error).toMatchObject({ message: 'reporter is broken' });
  expect(await (await fetch(origin)).text()).toBe('hello');
});

test('a chain throws in place of whoever would answer, wherever that is, and passes those before it', async () => {
  const error = new Error('on purpose');
  await fc.assert(
    fc.asyncProperty(
      fc.nat(5),
      fc.nat(5),
      fc.constantFrom('answers', 'throws', 'answers late'),
      async (before, after, how) => {
        const seen: number[] = [];
        const outer = Array.from(
          { length: before },
          (_, index) => async (_context: object, next: () => Promise<unknown>) => {
            try {
              await next();
            } catch (thrown) {
              expect(thrown).toBe(error);
              seen.push(index);
              throw thrown;
            }
          },
        );
        const answering = async (_context: object, _next: () => Promise<unknown>) => {
          if (how === 'answers late') await Promise.resolve();
          if (how === 'throws') throw new Error('401');
        };
        let inner = 0;
        const others = Array.from({ length: after }, () => (_context: object) => {
          inner += 1;
        });
        await expect(throwingChain([...outer, answering, ...others], error)({})).rejects.toBe(error);
        expect(seen).toEqual(outer.map((_, index) => index).toReversed());
        expect(inner).toBe(0);
      },
    ),
  );
});
