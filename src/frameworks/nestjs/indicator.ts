import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import {
  type Check,
  type CheckContext,
  type CheckOutcome,
  aboutOf,
  withScope,
} from '../../core/heartbeat/check.js';
import type { Scalar } from '../../core/log.js';
import { scrub, textOf } from '../../core/scrub/scrub.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { isObject, isRecord } from '../../core/objects.js';

/** The result of a @nestjs/terminus indicator: `{ storage: { status: 'up' } }`. */
export type IndicatorResult = Readonly<Record<string, { readonly status: 'up' | 'degraded' | 'down' }>>;

type Outcome = CheckOutcome | IndicatorResult;

/** A check, or a function that returns the result of a @nestjs/terminus indicator. */
export type NestCheck = (context: CheckContext) => Outcome | PromiseLike<Outcome>;

/** The same as a check: `down` is an Error, `degraded` a Warning, also if an indicator throws them. */
export function toCheck(run: NestCheck): Check {
  const check: Check = (context) => {
    try {
      const outcome = run(context);
      return isPromise(outcome) ? outcome.then(messagesOf, messagesOfThrown) : messagesOf(outcome);
    } catch (thrown) {
      return messagesOfThrown(thrown);
    }
  };
  const { scope, secondOpinion } = aboutOf(run);
  return withScope(check, scope, secondOpinion);
}

function messagesOf(outcome: Outcome): CheckOutcome {
  if (!isIndicatorResult(outcome)) return outcome;
  return Object.entries(outcome).flatMap(([name, result]) => messageOf(name, result) ?? []);
}

/** Indicators written for @nestjs/terminus 10 throw an error that carries their result. */
function messagesOfThrown(thrown: unknown): CheckOutcome {
  const causes: unknown = isObject(thrown) && 'causes' in thrown && thrown.causes;
  if (isIndicatorResult(causes)) return messagesOf(causes);
  throw thrown;
}

function messageOf(name: string, result: IndicatorResult[string]): CheckMessage | undefined {
  const { status, ...data }: { readonly status: string; readonly [key: string]: unknown } = result;
  if (status === 'up') return undefined;
  const { reason, rest } = reasonOf(data);
  const more = Object.entries(rest)
    .map(([key, value]) => `${key}: ${dataText(value)}`)
    .join(', ');
  const said = [reason, reason === '' || more === '' ? more : `(${more})`]
    .filter((part) => part !== '')
    .join(' ');
  const text = scrub(`${name} is ${status}${said === '' ? '' : `: ${said}`}`);
  const fields = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fieldOf(value)]));
  return status === 'down'
    ? new ErrorMessage(text, { id: messageIds.indicator, fields })
    : new Warning(text, { id: messageIds.indicator, fields });
}

/** The one sentence of an indicator, and the data beside it. */
function reasonOf(data: Readonly<Record<string, unknown>>): {
  readonly reason: string;
  readonly rest: Readonly<Record<string, unknown>>;
} {
  const { message, error, ...rest } = data;
  if (message !== undefined)
    return { reason: dataText(message), rest: error === undefined ? rest : { error, ...rest } };
  return { reason: error === undefined ? '' : dataText(error), rest };
}

function fieldOf(value: unknown): Scalar {
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : dataText(value);
}

/** Data as a text: objects as JSON, errors by their message. */
function dataText(value: unknown): string {
  if (!isObject(value) || value instanceof Error) return textOf(value);
  try {
    return textOf(JSON.stringify(value));
  } catch {
    return textOf(value);
  }
}

function isIndicatorResult(value: unknown): value is IndicatorResult {
  if (!isRecord(value)) return false;
  const results: unknown[] = Object.values(value);
  return results.length > 0 && results.every(isResult);
}

function isResult(value: unknown): boolean {
  return (
    isObject(value) &&
    'status' in value &&
    (value.status === 'up' || value.status === 'degraded' || value.status === 'down')
  );
}

function isPromise(value: unknown): value is PromiseLike<Outcome> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}
