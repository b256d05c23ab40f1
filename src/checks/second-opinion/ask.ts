import type { Opinion, OpinionContext } from '../../core/heartbeat/scope.js';
import { dueOf } from '../../core/heartbeat/abort.js';
import { within } from '../../core/deadlines.js';
import { isFull, type PoolUsage, usageText } from '../pools/pool.js';
import { reasonOf } from '../reasons.js';
import { askAfresh, type Connect } from './fresh.js';

/** What a check asks, as far as a second opinion needs to know. */
export interface Dependency {
  readonly connect: Connect;
  /** What the pool shows of itself, where there is one that does. */
  readonly usage?: () => PoolUsage | undefined;
  /** Calls back when a connection is given back to the pool; returns what ends that. */
  readonly onReturn?: (returned: () => void) => (() => void) | undefined;
}

/** The most that an opinion takes, and the share of its time where that is shorter. */
const longest = 1500;
const partOfDeadline = 0.75;
/** How long a pool that is in use as a whole is watched for connections that are given back. */
const watching = 1000;

/** How to find out whose trouble it is. Who asks while an opinion is under way waits for that one. */
export function asking(dependency: Dependency): (context: OpinionContext) => Promise<Opinion> {
  let current: Promise<Opinion> | undefined;
  return (context) => {
    current ??= opinionOf(dependency, context).finally(() => {
      current = undefined;
    });
    return current;
  };
}

async function opinionOf(dependency: Dependency, { signal, result }: OpinionContext): Promise<Opinion> {
  // One more connection would only take another's place.
  if (result.fault === 'full') return { scope: 'shared', evidence: 'the server accepts no more connections' };
  const due = performance.now() + Math.min(longest, (dueOf(signal) - performance.now()) * partOfDeadline);
  const outcome = await askAfresh(dependency.connect, Math.max(1, due - performance.now()));
  if (outcome === 'answered') return instanceOrBusy(dependency, due);
  return { scope: 'shared', evidence: evidenceOf(outcome) };
}

function evidenceOf(outcome: 'late' | 'impossible' | { readonly thrown: unknown }): string {
  if (outcome === 'impossible') return 'this client cannot open a fresh connection';
  if (outcome === 'late') return 'a fresh connection gets no answer either';
  return `a fresh connection fails too: ${reasonOf(outcome.thrown).text}`;
}

/** The server answers. A pool that is in use and gives connections back is busy, and may be so in every instance. */
async function instanceOrBusy(dependency: Dependency, due: number): Promise<Opinion> {
  const usage = dependency.usage?.();
  if (usage === undefined || !isFull(usage)) {
    return { scope: 'instance', evidence: 'a fresh connection works' };
  }
  const text = usageText(usage);
  if (await givesBack(dependency, Math.min(watching, due - performance.now()))) {
    return { scope: 'shared', evidence: `the pool is busy: ${text}, and they are being released` };
  }
  return {
    scope: 'instance',
    evidence: `pool exhausted: ${text}, none released; a fresh connection works`,
  };
}

async function givesBack({ usage, onReturn }: Dependency, time: number): Promise<boolean> {
  let stop: (() => void) | undefined;
  const returned = new Promise<boolean>((resolve) => {
    stop = onReturn?.(() => resolve(true));
  });
  try {
    if (await within(returned, Math.max(0, time), false)) return true;
    const after = usage?.();
    return after !== undefined && !isFull(after);
  } finally {
    stop?.();
  }
}
