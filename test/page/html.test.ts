import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { age, count, markup, span } from '../../src/page/html.js';
import { codePoint } from '../core/code-point.js';

const item = (text: string) => markup`<li>${text}</li>`;

describe('markup', () => {
  test('escapes what is put into it, in text and in attributes', () => {
    const evil = `<script>alert("1")</script>' onload='x' & &lt;`;
    expect(String(markup`<p title="${evil}">${evil}</p>`)).not.toMatch(/<script|"1"|' on|& /);
  });

  test('leaves markup, joins lists, drops what is not there', () => {
    expect(String(markup`<ul>${[item('a&b'), item('c')]}${undefined}${false}${0}</ul>`)).toBe(
      '<ul><li>a&amp;b</li><li>c</li>0</ul>',
    );
  });

  test(
    'no text whatever becomes markup, and none is lost but what HTML cannot carry',
    { timeout: 60_000 },
    () => {
      const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
      fc.assert(
        fc.property(fc.string({ unit: codePoint, maxLength: 200 }), (text) => {
          const made = String(markup`${text}`);
          expect(made).not.toMatch(/[<>"']/);
          const back = made.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => names[name] ?? '');
          expect(back).toBe(text.replace(/\p{Cs}|[^\P{Cc}\n\t]/gu, '\uFFFD'));
        }),
      );
    },
  );
});

describe('times for people', () => {
  test.each([
    [0, '<0.1 ms'],
    [0.06, '0.1 ms'],
    [3, '3 ms'],
    [9.94, '9.9 ms'],
    [9.96, '10 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [9949, '9.9 s'],
    [9951, '9 s'],
    [45_000, '45 s'],
  ])('a span of %d ms is %j', (ms, text) => expect(span(ms)).toBe(text));

  test.each([
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('an age of %d ms is %j', (ms, text) => expect(age(ms)).toBe(text));

  test('a count has its noun', () => {
    expect([count(1, 'check'), count(0, 'check')]).toEqual(['1 check', '0 checks']);
  });
});
