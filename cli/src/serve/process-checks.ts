import { disk } from '../../../src/checks/disk.js';
import { eventLoop } from '../../../src/checks/event-loop.js';
import { memory } from '../../../src/checks/memory.js';
import type { Check } from '../../../src/core/heartbeat/check.js';

/** Checks of this process and its machine, if nothing else is configured. */
export function processChecks(cwd: string): Readonly<Record<string, Check>> {
  return { memory: memory(), event_loop: eventLoop(), disk: disk({ path: cwd }) };
}
