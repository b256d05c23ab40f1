import type { LogRecord } from '../core/log.js';
import type { Scalar } from '../core/heartbeat/messages.js';
import type { LoopBlock } from '../core/loop.js';

/** The line of a block that was noticed. */
export function blockedRecord(block: LoopBlock, time: number): LogRecord {
  const { blockedFor, noStack } = block;
  return {
    logger: 'health.loop',
    level: 30,
    time,
    fields: { ...fieldsOf(block), ...defined({ stack: block.stack, noStack }) },
    msg: `The event loop has been blocked for ${blockedFor} ms${where(block)}`,
  };
}

/** Why a process whose event loop is stuck is restarted. */
export function stuckWords(block: LoopBlock): string {
  const { method, path } = block;
  const request = method === undefined || path === undefined ? '' : `, request: ${method} ${path}`;
  return `The event loop is stuck: it has been blocked for ${block.blockedFor} ms${where(block)}${request}`;
}

/** The line of a block that has lasted so long that the process should be restarted. */
export function stuckRecord(block: LoopBlock, time: number): LogRecord {
  return { logger: 'health.loop', level: 40, time, fields: fieldsOf(block), msg: stuckWords(block) };
}

/** The line of a block that has ended; with its stack if no line before it had that. */
export function freedRecord(block: LoopBlock, time: number, withStack: boolean): LogRecord {
  const { blockedFor, noStack } = block;
  return {
    logger: 'health.loop',
    level: 20,
    time,
    fields: { ...fieldsOf(block), ...(withStack && defined({ stack: block.stack, noStack })) },
    msg: `The event loop is free again; it was blocked for ${blockedFor} ms${where(block)}`,
  };
}

function fieldsOf({ blockedFor, culprit, rid, method, path, requests }: LoopBlock): Record<string, Scalar> {
  return { blockedFor, ...defined({ culprit, rid, method, path, requests }) };
}

function where({ culprit, noStack, requests }: LoopBlock): string {
  if (culprit !== undefined) return ` in ${culprit}`;
  const under = requests === undefined ? '' : `; requests in progress: ${requests}`;
  return noStack === undefined ? '' : ` (${noStack}${under})`;
}

function defined(fields: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
