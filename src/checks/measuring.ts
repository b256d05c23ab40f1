import type { Check } from '../core/heartbeat/check.js';
import { withHost } from '../core/heartbeat/check-host.js';

/** Has something measured between the runs of a check: until every Health that the check is registered with is closed, and again when one is opened. */
export function measuring<C extends Check>(check: C, begin: () => void, end: () => void): C {
  let hosts = 0;
  return withHost(check, ({ onClose }) => {
    hosts += 1;
    begin();
    onClose(() => {
      hosts -= 1;
      if (hosts === 0) end();
    });
  });
}
