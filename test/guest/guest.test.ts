import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { seed } from '../seed.js';
import { whole } from '../whole.js';
import { type Case, covering } from './cases.js';
import { type Outcome, run } from './run.js';

/** `npm test` takes a few. `npm run test:guest` has every combination of 3 values on each Node, and with GUEST_STRENGTH=5 every case. */
const strength = Number(process.env['GUEST_STRENGTH'] ?? (whole ? 3 : 2));
const most = whole ? Infinity : 10;
const built = inject('built');
const directory = mkdtempSync(join(tmpdir(), 'lifesign-guest-'));
afterAll(() => rmSync(directory, { recursive: true }));

const versions: [string, () => string][] = whole
  ? (process.env['GUEST_NODE'] ?? '20 22 24').split(' ').map((version) => [version, () => nodeOf(version)])
  : [[process.versions.node, () => process.execPath]];

function nodeOf(version: string): string {
  const args = ['--yes', '--package', `node@${version}`, '--', 'node', '-p', 'process.execPath'];
  return execFileSync('npx', args, { encoding: 'utf8' }).trim();
}

/** Milliseconds that lifesign may add: a reader that takes nothing holds up an exit for one second, and machines are busy. */
const patience = 15_000;

/** What a case must look like, given the same application without lifesign. */
function expected(one: Case, without: Outcome): Partial<Outcome> {
  const { code, signal, notes, said } = without;
  if (one.lifesign !== 'auto with drain' || !['SIGTERM', 'SIGINT'].includes(one.signal)) {
    return { code, signal, notes, said };
  }
  // Draining was asked for, and waits for the event loop; docs/draining.md lists what else differs.
  return { code, signal, said };
}

describe.each(versions)('Node %s', (_name, path) => {
  it(`a process with lifesign ends as without it (seed ${seed})`, { timeout: 3_600_000 }, async () => {
    const node = path();
    const cases = covering(strength, seed).slice(0, most);
    const differences: string[] = [];
    const known = new Map<string, Promise<Outcome>>();
    const withoutLifesign = (one: Case) => {
      const same = { ...one, lifesign: 'none' as const };
      const key = JSON.stringify(same);
      const outcome = known.get(key) ?? run(same, { node, built, directory });
      known.set(key, outcome);
      return outcome;
    };
    const check = async (one: Case) => {
      const without = await withoutLifesign(one);
      const outcome = await run(one, { node, built, directory });
      const wanted = expected(one, without);
      const canBeRead = ['pipe', 'socket', 'file', 'terminal'].includes(one.stdout);
      const got = Object.fromEntries(Object.keys(wanted).map((name) => [name, Reflect.get(outcome, name)]));
      const isSame =
        JSON.stringify(got) === JSON.stringify(wanted) &&
        outcome.ms - without.ms < patience &&
        // It was there.
        outcome.summaries > 0 === canBeRead;
      if (!isSame) differences.push(JSON.stringify({ one, wanted, outcome }));
    };
    const waiting = [...cases];
    const work = async () => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await check(one);
    };
    await Promise.all([work(), work(), work(), work()]);
    if (whole) console.log(`[guest] ${cases.length} cases, ${differences.length} differences`);
    expect(differences).toEqual([]);
  });
});
