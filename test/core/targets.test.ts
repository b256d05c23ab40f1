import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHandler } from 'lifesign';

/** Which of the paths answers a target; undefined if it is the application's. */
function router(live: readonly string[], prefix = '') {
  const handle = createHandler({ logger: false, prefix, probes: { live, ready: [], started: [] } });
  return (target: string) => handle('OPTIONS', target, {}) !== undefined;
}

const segment = fc.stringMatching(/^[\w~-]{1,8}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const paths = fc.uniqueArray(path, { minLength: 1, maxLength: 5 });
const query = fc.constantFrom('', '?', '?x=1', '?/__heartbeat__', '?a?b/');
const authority = fc
  .array(fc.constantFrom('h', ':', '@', '80', 'secret', '[::1]', '.', '%', '\\', ';', '_'))
  .map((parts) => parts.join(''));
const scheme = fc.constantFrom('http', 'https', 'HTTP', 'Http', 'ftp', 'ws', 'a+b.c-d1');
const ours = ['/__version__', '/__heartbeat__', '/__lbheartbeat__'];

describe('targets', () => {
  it('are found by their path, with any query, with and without a slash, under the prefix and in the absolute form', () => {
    fc.assert(
      fc.property(path, paths, query, scheme, authority, (prefix, known, asked, word, host) => {
        fc.pre(known.every((each) => !known.includes(prefix + each) && each !== prefix));
        const answers = router(known, prefix);
        for (const each of [...known, ...ours]) {
          for (const target of [each, `${each}/`, prefix + each, `${prefix}${each}/`]) {
            expect([target, answers(target + asked)]).toEqual([target, true]);
            expect(answers(`${word}://${host}${target}${asked}`)).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leave everything else to the application', () => {
    fc.assert(
      fc.property(paths, path, path, query, (known, prefix, other, asked) => {
        fc.pre(!known.includes(other) && !known.some((each) => prefix + each === other));
        const answers = router(known, prefix);
        for (const target of [
          other,
          `/${other}`,
          `${other}//`,
          `${other}%20?${other}`,
          ...known.map((each) => `${prefix}/${each}`),
          ...known.map((each) => `/${prefix}${each}`),
        ]) {
          expect([target, answers(target + asked)]).toEqual([target, false]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('that are neither a path nor an address name nothing', () => {
    const answers = router(['/__health__']);
    for (const before of ['*', 'h', 'h:1', '@', 'a@', 'http:', 'http:/', '?', '#', '\\', '//', '/x', '/.']) {
      for (const named of ['/__heartbeat__', '__heartbeat__', '/__lbheartbeat__/', '/__health__']) {
        expect([before + named, answers(before + named)]).toEqual([before + named, false]);
      }
    }
    expect(['', '*', '__heartbeat__', '__health__'].filter(answers)).toEqual([]);
  });

  it('are looked at once, however long they are', () => {
    const target = `${'a'.repeat(8000)}${'@'.repeat(8000)}`;
    const answers = router(['/livez']);
    // A pattern that went back would take minutes.
    for (let times = 0; times < 200; times += 1) {
      expect([answers(target), answers(`${target}://${target}`)]).toEqual([false, false]);
    }
  });
});
