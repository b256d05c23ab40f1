import type { LogRecord, Scalar } from '../core/log.js';
import type { LoopBlock } from '../core/loop.js';

/** The line of a block that was noticed. */
export function blockedRecord(block: LoopBlock, time: number): LogRecord {
  const { blockedFor, culprit, noStack } = block;
  return {
    logger: 'health.loop',
    level: 30,
    time,
    fields: { ...fieldsOf(block), ...defined({ stack: block.stack, noStack }) },
    msg: `The event loop has been blocked for ${blockedFor} ms${where(culprit, noStack)}`,
  };
}

/** The line of a block that is over; with its stack where no line before it had that. */
export function freedRecord(block: LoopBlock, time: number, withStack: boolean): LogRecord {
  const { blockedFor, culprit, noStack } = block;
  return {
    logger: 'health.loop',
    level: 20,
    time,
    fields: { ...fieldsOf(block), ...(withStack && defined({ stack: block.stack, noStack })) },
    msg: `The event loop is free again; it was blocked for ${blockedFor} ms${where(culprit, noStack)}`,
  };
}

function fieldsOf({ blockedFor, culprit, rid, method, path }: LoopBlock): Record<string, Scalar> {
  return { blockedFor, ...defined({ culprit, rid, method, path }) };
}

function where(culprit: string | undefined, noStack: string | undefined): string {
  if (culprit !== undefined) return ` in ${culprit}`;
  return noStack === undefined ? '' : ` (${noStack})`;
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
