import type { Check } from '../core/heartbeat/check.js';
import { withHost } from '../core/heartbeat/check-host.js';
import { outsideRequest } from '../core/request/request.js';
import type { SelfHealing } from './client.js';

/** Has the Health listen for errors of a client for as long as it is open, if the application does not. */
export function withErrorListener(check: Check, found: SelfHealing | undefined): Check {
  if (found === undefined) return check;
  return withHost(check, (host) =>
    outsideRequest(() => {
      // If it cannot be loaded, the check closes its connections as it does without a Health.
      import('./error-listener.js')
        .then(({ listenForErrors }) => listenForErrors(found, host))
        .catch(() => {});
    }),
  );
}
