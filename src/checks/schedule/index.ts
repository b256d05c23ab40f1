import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { polling, Unknown } from '../progress/polling.js';
import { span } from '../../core/span.js';
import { Due, type Moment } from './due.js';

/** The validated options of `checks.schedule`. */
interface ScheduleSettings {
  readonly name: string | undefined;
  readonly every: number;
  readonly grace: number;
  readonly lastRun: () => unknown;
  /** When the check was made. */
  readonly started: Moment;
}

/** The code of `checks.schedule`, loaded when the check is created. */
export function scheduleKept({
  name,
  every,
  grace,
  lastRun,
  started,
}: ScheduleSettings): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const due = new Due(every, started);
  const askLast = polling(
    'lastRun()',
    () => lastRun(),
    lastOf,
    'a valid Date, milliseconds since 1970, undefined or null',
  );
  const of = name === undefined ? '' : ` of ${name}`;
  return async (context) => {
    try {
      const { last } = await askLast(context);
      const late = due.look({ steady: performance.now(), wall: Date.now() }, last);
      if (late <= grace) return [];
      const since =
        last === undefined ? 'it has never run' : `the last run was ${span(Date.now() - last)} ago`;
      return [
        new ErrorMessage(`A run${of} is overdue by ${span(late)}: ${since}`, {
          id: messageIds.scheduleOverdue,
          hint: 'The scheduler is not running, or a run never ends.',
          fields: { late_ms: Math.round(late) },
        }),
      ];
    } catch (thrown) {
      if (!(thrown instanceof Unknown)) throw thrown;
      return [
        new ErrorMessage(`Cannot determine the last run${of}: ${thrown.message}`, {
          id: messageIds.scheduleUnknown,
        }),
      ];
    }
  };
}

function lastOf(value: unknown): { readonly last: number | undefined } | undefined {
  if (value === undefined || value === null) return { last: undefined };
  const time = value instanceof Date ? value.getTime() : value;
  return typeof time === 'number' && Number.isFinite(time) ? { last: time } : undefined;
}
