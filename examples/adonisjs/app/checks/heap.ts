import { MemoryHeapCheck } from '@adonisjs/core/health';

/** A check that comes with AdonisJS, used unchanged. */
export const heap = new MemoryHeapCheck().as('heap').warnWhenExceeds('1 gb').failWhenExceeds('2 gb');
