import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningHost } from './host.js';
import { hosts } from './hosts/index.js';
import { isOurs, raw } from './raw.js';
import { whole } from '../whole.js';

const names = ['__heartbeat__', '__lbheartbeat__', '__version__', '__health__.json', '__health__', 'x'];
const oddities = [
  '',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '.%2e',
  '%2f',
  '%5c',
  '\\',
  ';',
  ';x',
  '%00',
  '%',
  '#',
  ':',
  '@',
  '*',
  '[',
];
const part = fc.constantFrom(...names, ...oddities, '%5F_heartbeat__');
const before = fc.constantFrom('', '', '', 'http://h', 'http://u:p@h', 'https://h:1', 'http://');
const target = fc
  .tuple(
    before,
    fc.array(part, { maxLength: 4 }),
    fc.constantFrom('', '', '/', '/.', '/x/..', '?', '?/..', '?x'),
  )
  .map(([origin, parts, end]) => `${origin}/${parts.join('/')}${end}`);

/** Who answers is decided by one rule: whatever is sent, all hosts say the same as node:http. */
describe('generated targets', () => {
  const running: { name: string; host: RunningHost }[] = [];
  beforeAll(async () => {
    for (const { name, start } of hosts) {
      const options = { page: true, summary: false };
      running.push({
        name,
        host: await start({ options, versionCallback: () => ({ version: 'of lifesign' }) }),
      });
    }
  });
  afterAll(() => Promise.all(running.map(({ host }) => host.close())));

  test('are answered by lifesign on all hosts or on none', async () => {
    await fc.assert(
      fc.asyncProperty(target, async (sent) => {
        const answers = await Promise.all(
          running.map(async ({ name, host }) => [name, await whoAnswers(host, sent)] as const),
        );
        const expected = answers.find(([name]) => name.startsWith('node:http,'))?.[1];
        // A server may refuse what another takes; but lifesign must not answer then.
        expect(answers.filter(([, who]) => who !== 'server' && who !== expected)).toEqual([]);
      }),
      { numRuns: whole ? 300 : 75 },
    );
  }, 60_000);
});

async function whoAnswers(host: RunningHost, target: string): Promise<'lifesign' | 'application' | 'server'> {
  const { status, body } = await raw(host, 'GET', target);
  if (isOurs(body) || body.includes('<title>')) return 'lifesign';
  return status === 404 || status === 200 ? 'application' : 'server';
}
