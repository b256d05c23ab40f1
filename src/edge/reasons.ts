// checks/reasons.ts on edge workers: errors have no codes of sockets, databases and brokers.
import type * as all from '../checks/reasons.js';
import { describePublicly } from '../core/scrub/scrub.js';

export const reasonOf: typeof all.reasonOf = (thrown) => ({ fault: 'other', text: describePublicly(thrown) });
