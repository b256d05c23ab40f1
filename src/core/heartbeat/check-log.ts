import { hintFor } from '../help.js';
import type { LogRecord } from '../log.js';
import type { CheckResult } from './result.js';

/** The log records of a heartbeat: one per message, so that the log has the cause even if the body hides it. */
export function* checkRecords(
  results: readonly CheckResult[],
  rid: string | undefined,
): Generator<LogRecord, void> {
  for (const { name, level: worst, messages, error, mark } of results) {
    // Of a cached result, or a run that several waited for, the log has the messages already.
    if (mark.logged) continue;
    mark.logged = true;
    for (const { id, text, level, hint: given, fields } of messages) {
      const hint = hintFor(id, given);
      yield {
        logger: 'health.checks',
        // A level that is capped in the report must not raise an alert through the log.
        level: worst !== 0 && worst < level ? worst : level,
        time: Date.now(),
        // Those of the message never replace ours.
        fields: {
          ...fields,
          check: name,
          ...(rid !== undefined && { rid }),
          ...(hint !== undefined && { hint }),
        },
        msg: `${id}: ${text}`,
        error,
      };
    }
  }
}
