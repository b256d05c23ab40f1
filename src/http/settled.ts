import { realClock } from '../core/clock.js';
import { environment } from '../core/runtime.js';
import { advise, isAdvised, type KeepingHealth, type Timeouts } from './keep-alive/advice.js';

/** The part of a Health that is used. */
export interface SettlingHealth extends KeepingHealth {
  prepare(): void;
}

/** Applications set their timeouts after they have started to listen, and are busy until then. */
const settled = 1000;
/** Set by Jest, Vitest, Node, Mocha, AVA, tap and Playwright in the processes that run tests. */
const testRunner =
  /^(?:JEST_WORKER_ID|VITEST|NODE_TEST_CONTEXT|MOCHA_WORKER_ID|AVA_PATH|TAP|PLAYWRIGHT_TEST)$/;

const prepared = new WeakSet<SettlingHealth>();

/** A second after a server in production was found: loads the code of heartbeats, and looks at the timeouts of the server. */
export function settle(health: SettlingHealth, server: object & Timeouts): void {
  if (health.closed || (prepared.has(health) && isAdvised())) return;
  if (Object.keys(environment()).some((name) => testRunner.test(name))) return;
  const forget = health.onClose(
    realClock.after(settled, () => {
      forget();
      prepared.add(health);
      health.prepare();
      advise(health, server);
    }),
  );
}
