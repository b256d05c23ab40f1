import type { Check, CheckContext, CheckOutcome } from '../core/heartbeat/check.js';
import { withHost } from '../core/heartbeat/check-host.js';
import { outsideRequest } from '../core/request/request.js';
import { Life } from './life.js';
import { named } from './named.js';

/**
 * A check whose code is loaded from now on, and not with the package: most applications have few of them. A heartbeat
 * that comes before waits for it, within its own time. Each run tries again to load what failed to load.
 */
export function loading<Code>(
  name: string,
  load: () => Promise<Code>,
  make: (code: Code, life: Life) => Check,
  life = new Life(),
): Check {
  let made: Check | undefined;
  // Each run waits for a promise of its own: workers refuse to wait for one of another request.
  const ready = () =>
    outside(async () => {
      const code = await load().catch((thrown: unknown) => {
        throw new Error('Its code cannot be loaded', { cause: thrown });
      });
      made ??= make(code, life);
      return made;
    });
  ready().catch(() => {});
  const check = named(name, (context: CheckContext) => (made === undefined ? late(context) : made(context)));
  return withHost(check, life.attach);

  async function late(context: CheckContext): Promise<CheckOutcome> {
    const check = await ready();
    // A run whose time was up meanwhile takes no connection of a pool.
    context.signal.throwIfAborted();
    return check(context);
  }
}

/** A small check, which preloads only the sentences for its failures. */
export function withReasons(
  name: string,
  run: (context: CheckContext, reasonOf: ReasonOf) => CheckOutcome | PromiseLike<CheckOutcome>,
): Check {
  return loading(
    name,
    () => import('./small-check-reasons.js'),
    ({ reasonOf }) =>
      (context) =>
        run(context, reasonOf),
  );
}

type ReasonOf = (thrown: unknown) => { readonly text: string };

/** Outside of any request: Deno treats code that is loaded in a request, and its connections, as part of that request forever. */
function outside<T>(start: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    outsideRequest(() => void start().then(resolve, reject));
  });
}
