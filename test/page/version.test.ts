import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { identity } from '../../src/page/sections.js';
import { shownVersion } from '../../src/page/view.js';
import type { View } from '../../src/page/view.js';
import { watched } from './watched.js';

/** The part of the page that shows a version. */
const shown = (version: object) =>
  String(identity({ version: shownVersion(JSON.stringify(version)) } as unknown as View));

describe('the version on the page', () => {
  test('no user, query or fragment of an address is shown or linked, however the address is written', () => {
    const secret = 'hunter2hunter2';
    const part = fc.constantFrom('', 'x', '/', '//', '\\', ':', '.git', 'a b', '%20');
    const written = fc
      .tuple(
        fc.constantFrom(
          'https://',
          'http://',
          'HTTPS://',
          'https:\\\\',
          'https:/',
          'https:',
          ' https://',
          'ht\ntps://',
          'ssh://',
          'git+https://',
          '',
        ),
        fc.constantFrom('', `user:${secret}@`, `${secret}@`, `a@b:${secret}@`),
        fc.constantFrom('git.example', 'git.example:8443', '[::1]', 'git.example/acme/shop'),
        part,
        fc.constantFrom(
          '',
          `?token=${secret}`,
          `#${secret}`,
          `?x#${secret}`,
          `?${secret}`,
          `/?a=1&b=${secret}#c`,
        ),
      )
      .map((parts) => parts.join(''))
      // A user without a scheme is the short form of git, and no secret.
      .filter((text) => /^ ?ht|^HT|^ssh:|^git\+/.test(text) || !text.includes(`${secret}@`));
    fc.assert(
      fc.property(written, fc.constantFrom('source', 'build'), (text, name) => {
        expect(shown({ [name]: text, commit: 'abcdef0' })).not.toContain(secret);
        expect(JSON.stringify(shownVersion(JSON.stringify({ [name]: text })))).not.toContain(secret);
      }),
      { numRuns: 2000 },
    );
  });

  test('an address in another field, and one deep inside, too', () => {
    const text = 'https://ci.example/1?token=hunter2#hunter2';
    expect(shown({ homepage: text, more: { list: [text] } })).not.toContain('hunter2');
  });

  test('an address is linked without its query', () => {
    expect(shown({ build: 'https://ci.example/job/7?token=x#y' })).toContain(
      'href="https://ci.example/job/7"',
    );
  });

  test('is bounded, whatever was written into it', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 30, depthSize: 'max' },
        fc.string({ maxLength: 50 }),
        fc.double({ noNaN: true }),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('any'), { maxLength: 3 }),
      object: fc.dictionary(fc.string({ maxLength: 10 }), tie('any'), { maxKeys: 3 }),
    })).object;
    fc.assert(
      fc.property(value, (version) => {
        const kept = shownVersion(JSON.stringify(version));
        expect(JSON.stringify(kept).length).toBeLessThan(2_000_000);
        expect(shown(version as object).length).toBeLessThan(50_000);
      }),
    );
  });

  test('one of ten thousand fields, or of a text of a megabyte, is short', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field ${index}`, 'x']));
    expect(Object.keys(shownVersion(JSON.stringify(many))).length).toBe(100);
    expect(shown({ text: 'x'.repeat(1_000_000) }).length).toBeLessThan(2000);
    expect(
      JSON.stringify(shownVersion(JSON.stringify({ lists: Array(9000).fill(Array(9).fill('x')) }))).length,
    ).toBeLessThan(10_000);
  });

  test('nested a hundred thousand levels deep, it ends after five', () => {
    const deep = 100_000;
    const text = `{"version":"7","deep":${'['.repeat(deep)}${']'.repeat(deep)}}`;
    expect(JSON.stringify(shownVersion(text))).toBe('{"version":"7","deep":[[[["…"]]]]}');
  });

  test.each([
    ['nothing', () => undefined],
    ['a text', () => 'x'],
    ['a list', () => []],
    ['itself', () => Promise.resolve()],
  ])('a callback whose object says with toJSON that it is %s is an error', async (_, toJSON) => {
    const { origin, health, close } = await watched([]);
    health.versionCallback(() => ({ toJSON }));
    const answers = await Promise.all(
      ['/__version__', '/__health__', '/__health__.json'].map(
        async (path) => (await fetch(origin + path)).status,
      ),
    );
    expect(answers).toEqual([_ === 'itself' ? 200 : 500, 200, 200]);
    await close();
  });

  test('a callback that returns more than a file may hold is an error', async () => {
    const { origin, health, close } = await watched([]);
    health.versionCallback(() => ({ text: 'x'.repeat(2 ** 20) }));
    const answer = await fetch(`${origin}/__version__`);
    expect([answer.status, await answer.json()]).toEqual([
      500,
      { error: 'the version callback returned more than 1 MiB' },
    ]);
    await close();
  });

  test('a cyclic version, or one with a hostile getter, breaks nothing', async () => {
    const { origin, health, close } = await watched([]);
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const hostile = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    for (const version of [cyclic, hostile, { big: 1n }]) {
      health.versionCallback(() => version as never);
      expect((await fetch(`${origin}/__version__`)).status).toBe(500);
      expect((await fetch(`${origin}/__health__`)).status).toBe(200);
      expect((await fetch(`${origin}/__health__.json`)).status).toBe(200);
    }
    await close();
  });
});
