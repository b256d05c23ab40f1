import type { Type } from '@nestjs/common';
import {
  type Check,
  type CheckContext,
  type CheckOutcome,
  aboutOf,
  withScope,
} from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import {
  type CheckMessage,
  Error as ErrorMessage,
  Warning,
  type Scalar,
} from '../../core/heartbeat/messages.js';
import { isObject, isPromise, isRecord } from '../../core/objects.js';
import { attempt } from '../../core/runtime.js';
import { scrub, textOf } from '../../core/scrub/scrub.js';

/** An injectable with a check in it. */
export interface CheckProvider {
  check(context: CheckContext): ReturnType<NestCheck>;
}

/** An indicator of @nestjs/terminus, as its documentation writes them. */
export interface IndicatorProvider {
  isHealthy(key: string): ReturnType<NestCheck>;
}

/** A class in `HEALTH_CHECKS`: its instance comes from the container. */
export type CheckClass = Type<CheckProvider | IndicatorProvider>;

export function isCheckClass(value: unknown): value is CheckClass {
  if (typeof value !== 'function') return false;
  const { prototype }: { prototype?: unknown } = value;
  return isObject(prototype) && (isIndicator(prototype) || 'check' in prototype);
}

export function isIndicator(value: object): value is IndicatorProvider {
  return 'isHealthy' in value && typeof value.isHealthy === 'function';
}

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
      return isPromise(outcome) ? outcome.then(checkMessages, thrownMessages) : checkMessages(outcome);
    } catch (thrown) {
      return thrownMessages(thrown);
    }
  };
  const { scope, secondOpinion } = aboutOf(run);
  return withScope(check, scope, secondOpinion);
}

function checkMessages(outcome: Outcome): CheckOutcome {
  if (!isIndicatorResult(outcome)) return outcome;
  return Object.entries(outcome).flatMap(([name, result]) => indicatorMessage(name, result) ?? []);
}

/** Indicators written for @nestjs/terminus 10 throw an error that carries their result. */
function thrownMessages(thrown: unknown): CheckOutcome {
  const causes: unknown = isObject(thrown) && 'causes' in thrown && thrown.causes;
  if (isIndicatorResult(causes)) return checkMessages(causes);
  throw thrown;
}

function indicatorMessage(
  name: string,
  { status, ...data }: IndicatorResult[string],
): CheckMessage | undefined {
  if (status === 'up') return undefined;
  const { message, error, ...rest }: { readonly [key: string]: unknown } = data;
  const reason = dataText(message ?? error ?? '');
  const others = message === undefined || error === undefined ? rest : { error, ...rest };
  const more = Object.entries(others)
    .map(([key, value]) => `${key}: ${dataText(value)}`)
    .join(', ');
  const detail = reason !== '' && more !== '' ? `${reason} (${more})` : reason + more;
  const text = scrub(`${name} is ${status}${detail && `: ${detail}`}`);
  const fields = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fieldOf(value)]));
  const Message = status === 'down' ? ErrorMessage : Warning;
  return new Message(text, { id: messageIds.indicator, fields });
}

function fieldOf(value: unknown): Scalar {
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : dataText(value);
}

function dataText(value: unknown): string {
  const json = isObject(value) && !(value instanceof Error) && attempt(() => JSON.stringify(value));
  return textOf(json || value);
}

function isIndicatorResult(value: unknown): value is IndicatorResult {
  if (!isRecord(value)) return false;
  const results: unknown[] = Object.values(value);
  return results.length > 0 && results.every(isResult);
}

const isResult = (value: unknown) =>
  isRecord(value) && ['up', 'degraded', 'down'].some((status) => status === value['status']);
