import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import type { Check, CheckContext, CheckOutcome } from '../../core/heartbeat/check.js';
import { scrub, textOf } from '../../core/scrub/scrub.js';

/** What an indicator of @nestjs/terminus returns: `{ storage: { status: 'up' } }`. */
export type IndicatorResult = Readonly<Record<string, { readonly status: 'up' | 'degraded' | 'down' }>>;

type Outcome = CheckOutcome | IndicatorResult;

/** A check, or a function that returns what an indicator of @nestjs/terminus does. */
export type NestCheck = (context: CheckContext) => Outcome | PromiseLike<Outcome>;

/** The same as a check: `down` is an Error, `degraded` a Warning, also where an indicator throws them. */
export function toCheck(run: NestCheck): Check {
  return (context) => {
    try {
      const outcome = run(context);
      return isPromise(outcome) ? outcome.then(messagesOf, messagesOfThrown) : messagesOf(outcome);
    } catch (thrown) {
      return messagesOfThrown(thrown);
    }
  };
}

function messagesOf(outcome: Outcome): CheckOutcome {
  if (!isIndicatorResult(outcome)) return outcome;
  return Object.entries(outcome).flatMap(([name, result]) => messageOf(name, result) ?? []);
}

/** Indicators written for @nestjs/terminus 10 throw an error that carries their result. */
function messagesOfThrown(thrown: unknown): CheckOutcome {
  const causes: unknown =
    typeof thrown === 'object' && thrown !== null && 'causes' in thrown && thrown.causes;
  if (isIndicatorResult(causes)) return messagesOf(causes);
  throw thrown;
}

function messageOf(name: string, result: IndicatorResult[string]): CheckMessage | undefined {
  if (result.status === 'up') return undefined;
  const reason: unknown = 'message' in result ? result.message : 'error' in result ? result.error : '';
  const text = scrub(`${name} is ${result.status}${reason === '' ? '' : `: ${textOf(reason)}`}`);
  return result.status === 'down'
    ? new ErrorMessage(text, { id: 'health.E020' })
    : new Warning(text, { id: 'health.W020' });
}

function isIndicatorResult(value: unknown): value is IndicatorResult {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const results: unknown[] = Object.values(value);
  return results.length > 0 && results.every(isResult);
}

function isResult(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'status' in value &&
    (value.status === 'up' || value.status === 'degraded' || value.status === 'down')
  );
}

function isPromise(value: unknown): value is PromiseLike<Outcome> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
