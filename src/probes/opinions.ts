import { within } from '../core/deadlines.js';
import { quietController } from '../core/heartbeat/abort.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import type { Opinion, SecondOpinion } from '../core/heartbeat/scope.js';
import { outsideRequest } from '../core/request/request.js';
import { clean } from '../core/scrub/scrub.js';
import { shared } from '../core/shared.js';

/** Milliseconds that a second opinion may take. */
const opinionTimeout = 2000;
/** Characters of its evidence. */
const longestEvidence = 200;

/** What is known of the opinions of one dependency. */
interface Asked {
  /** When the last one was asked for, and what it came to. */
  at: number;
  said: Promise<Opinion>;
  /** Whether it has not settled, in time or not: another would be a second connection. */
  open: boolean;
}

/** By what is asked; of all Healths in the process, since their connections add up. */
const asked: WeakMap<object, Asked> = /* @__PURE__ */ shared('opinions', () => new WeakMap());

/** An opinion, and when it was asked for. */
export interface Dated {
  readonly at: number;
  readonly said: Promise<Opinion>;
}

/**
 * The opinion of a dependency: a new one where the last is `every` milliseconds old, else the last one where it was asked for after
 * `since`, when the failure began. Undefined where neither can be had yet. It never rejects.
 */
export function opinionOf(
  second: SecondOpinion,
  result: CheckResult,
  { every, since, now }: { readonly every: number; readonly since: number; readonly now: number },
): Dated | undefined {
  const last = asked.get(second.dependency);
  if (last !== undefined && (last.open || now - last.at < every)) {
    return last.at >= since ? last : undefined;
  }
  const entry: Asked = { at: now, said: Promise.resolve(unknown), open: true };
  asked.set(second.dependency, entry);
  entry.said = ask(second, result, () => {
    entry.open = false;
  });
  return entry;
}

const unknown: Opinion = { scope: 'shared', evidence: 'no second opinion is available' };
const late: Opinion = { scope: 'shared', evidence: `no second opinion within ${opinionTimeout} ms` };

function ask(second: SecondOpinion, result: CheckResult, settled: () => void): Promise<Opinion> {
  const controller = quietController(performance.now() + opinionTimeout);
  return new Promise((resolve) => {
    outsideRequest(() => {
      const said = Promise.resolve()
        .then(() => second.ask({ signal: controller.signal, result }))
        .then(opinionIn, () => unknown)
        .finally(settled);
      void within<Opinion>(said, opinionTimeout, late).then((opinion) => {
        if (opinion === late) controller.abort(new DOMException(late.evidence, 'TimeoutError'));
        resolve(opinion);
      });
    });
  });
}

/** What was said, as it may be shown; anything but an opinion tells nothing. */
function opinionIn(said: unknown): Opinion {
  if (typeof said !== 'object' || said === null || !('scope' in said)) return unknown;
  const evidence: unknown = Reflect.get(said, 'evidence');
  return {
    // Only a clear word takes an instance out.
    scope: said.scope === 'instance' ? 'instance' : 'shared',
    evidence: clean(typeof evidence === 'string' ? evidence : '', longestEvidence),
    ...(Reflect.get(said, 'unreached') === true && { unreached: true }),
  };
}
