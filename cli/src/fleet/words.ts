import { age, count } from '../../../src/tools.js';
import type { Build, Counts, Finding, Instance, Service, State } from './fleet.js';

/** `5 instances: 1 down, 2 failing`; zero counts are left out. */
export function countsText(counts: Counts): string {
  const total = Object.values(counts).reduce((sum, many) => sum + many, 0);
  const named: readonly (readonly [State, string])[] = [
    ['down', 'down'],
    ['failing', 'failing'],
    ['unknown', 'unknown'],
    ['draining', 'draining'],
    ['gone', 'gone'],
  ];
  const parts = named
    .filter(([state]) => counts[state] > 0)
    .map(([state, word]) => `${counts[state]} ${word}`);
  const rest = parts.length === 0 ? 'all ok' : [...parts, `${counts.ok} ok`].join(', ');
  return `${count(total, 'instance')}: ${rest}`;
}

/** Enough of a commit to recognise it. */
const shortCommit = 12;

/** `1.4.2 9f3c21a4b0d1` */
export function buildName(build: Build | undefined): string {
  const { version, commit } = build ?? {};
  return [version, commit?.slice(0, shortCommit)].filter(Boolean).join(' ') || 'unknown build';
}

/** `rollout 5 of 8 (62 %) on 1.4.2 9f3c21a4b0d1` */
export function rolloutOf({ rollout, builds }: Service): string | undefined {
  if (rollout === undefined) return builds.length > 1 ? `${builds.length} builds` : undefined;
  const { done, total } = rollout;
  return `rollout ${done} of ${total} (${Math.floor((100 * done) / total)} %) on ${buildName(builds[0])}`;
}

/** When a check that fails its instance last passed; undefined for one that does not. */
export function lastPassed(
  { status, passed }: Finding,
  { state }: Instance,
  now: number,
): string | undefined {
  if (state !== 'failing' || status === 'debug' || status === 'info') return undefined;
  return passed === undefined ? 'never passed' : `last passed ${age(now - passed)} ago`;
}

/** The state of an instance in one word. */
export function statusWord({ state, status, draining }: Instance): string {
  const word = state === 'failing' || state === 'ok' ? (status ?? state) : state;
  return draining && state === 'failing' ? `${word}, draining` : word;
}

/** More about it in a sentence; undefined for nothing. */
export function remark({ state, seen, build }: Instance, now: number): string | undefined {
  const last = seen === undefined ? '' : `, last seen ${age(now - seen)} ago`;
  if (state === 'gone') return `no longer scraped${last}`;
  if (state === 'down') return `cannot be scraped${last || (build === undefined ? ', never seen' : '')}`;
  return state === 'unknown' ? 'no heartbeat yet' : undefined;
}
