import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeHealth } from '../core/make-health.js';

test('README lists every option with its default', async () => {
  const page = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const rows = new Map(
    [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  // Of the framework, not of the user.
  const { versionFallbacks: _ours, ...given } = makeHealth().health.options;
  const options = Object.entries(given);
  expect([...rows.keys()].filter((name) => name !== 'db').toSorted()).toEqual(
    options.map(([name]) => name).toSorted(),
  );
  // What has no plain default is told in words.
  const inWords = new Set([
    'healthPort',
    'probes',
    'watchdog',
    'metrics',
    'errorEndpoint',
    'summaryIgnore',
    'summaryFields',
    'versionPath',
    'silencedChecks',
    'heartbeatTimeout',
    'checkOptions',
    'groups',
    'uid',
    'logger',
  ]);
  for (const [name, value] of options) {
    if (!inWords.has(name)) {
      expect(rows.get(name)?.replaceAll('`', '').toLowerCase()).toBe(
        JSON.stringify(value).replaceAll('"', '').toLowerCase(),
      );
    }
  }
});
