import { MemoryHeapCheck } from '@adonisjs/core/health';

/** A check of AdonisJS itself, as it is. */
export const heap = new MemoryHeapCheck().as('heap').warnWhenExceeds('1 gb').failWhenExceeds('2 gb');
