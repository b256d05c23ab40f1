// checks/loading.ts on edge workers: the one check with reasons is there at once. Errors have no codes of sockets, databases and brokers.
import type * as all from '../checks/loading.js';
import { named } from '../checks/named.js';
import { describePublicly } from '../core/scrub/scrub.js';

export const withReasons: typeof all.withReasons = (name, run) =>
  named(name, (context) => run(context, (thrown) => ({ text: describePublicly(thrown) })));
