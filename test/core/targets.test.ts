import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEndpoint, originForm } from '../../src/core/endpoints.js';
import { routesOf } from './routes.js';

/** With paths that begin as those of the contract do, and with others. */
const tables = [
  routesOf('/__health__', '/__health__.json'),
  routesOf('/__health__', '/__health__.json', '/livez'),
];

const path = fc
  .array(
    fc.constantFrom(
      '/',
      '__heartbeat__',
      '__health__.json',
      'x',
      '..',
      '.',
      '%2e',
      ';',
      '\\',
      '@',
      ':',
      '#',
      '?',
    ),
  )
  .map((parts) => `/${parts.join('')}`);
const scheme = fc.constantFrom('http', 'https', 'HTTP', 'Http', 'ftp', 'ws', 'a+b.c-d1');
const authority = fc
  .array(fc.constantFrom('h', ':', '@', '80', 'secret', '[::1]', '.', '%', '\\', ';', '_'))
  .map((parts) => parts.join(''));

describe('request targets', () => {
  test('a path is left as it is', () => {
    fc.assert(fc.property(path, (target) => originForm(target) === target));
  });

  test('of an address its path and query are left, whatever stands before them', () => {
    fc.assert(
      fc.property(scheme, authority, path, (word, host, rest) => {
        const target = `${word}://${host}${rest}`;
        expect(originForm(target)).toBe(rest);
        expect(isEndpoint(target)).toBe(isEndpoint(rest));
        for (const routes of tables) expect(routes.match(target)).toBe(routes.match(rest));
      }),
    );
  });

  test.each([
    ['http://h', '/'],
    ['http://h?x', '/?x'],
    ['http://h#x', '/#x'],
    ['http:///__heartbeat__', '/__heartbeat__'],
    ['*', '*'],
    ['', ''],
    ['h:443', 'h:443'],
    ['user:secret@h:443', 'h:443'],
    ['user:secret@/__heartbeat__', ''],
    ['http:/__heartbeat__', 'http:/__heartbeat__'],
  ])('%s is %s', (target, expected) => {
    expect(originForm(target)).toBe(expected);
  });

  test('what is neither a path nor an address names nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', '*', 'h', 'h:1', '@', 'a@', 'http:', 'http:/', '?', '#', '\\', '//', '/x', '/.'),
        fc.constantFrom('/__heartbeat__', '__heartbeat__', '/__lbheartbeat__/', '/__health__'),
        (before, named) => {
          fc.pre(before !== '' || !named.startsWith('/'));
          expect(isEndpoint(`${before}${named}`)).toBe(false);
          for (const routes of tables) expect(routes.match(`${before}${named}`)).toBe(undefined);
        },
      ),
    );
  });

  test('is looked at once, however long it is', () => {
    const target = `${'a'.repeat(8000)}${'@'.repeat(8000)}`;
    // A pattern that went back would take minutes.
    for (let times = 0; times < 200; times += 1) {
      for (const routes of tables) {
        expect(routes.match(target)).toBe(undefined);
        expect(routes.match(`${target}://${target}`)).toBe(undefined);
      }
    }
  });
});
