import { Injectable, type Type } from '@nestjs/common';
import {
  type Check,
  type CheckContext,
  type CheckOptions,
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

// On the class itself and by a registered symbol: the package may be loaded twice.
const marked = Symbol.for('lifesign.nestjs.check');

/** The arguments of `@HealthCheck()`. */
export interface CheckMark {
  readonly name: string;
  readonly options: CheckOptions;
}

/**
 * Turns an injectable class into a check: its `check` method runs with every heartbeat. List the class in `HEALTH_CHECKS`.
 *
 * @example
 * @HealthCheck('storage', { timeout: 500 })
 * class StorageCheck { check() { return [new checks.Warning('Storage is slow', { id: 'acme.W001' })]; } }
 */
export function HealthCheck(name?: string, options: CheckOptions = {}): (target: CheckClass) => void {
  return (target) => {
    // If the class declares how it is injected, that stays.
    if (!isInjectable(target)) Injectable()(target);
    const mark: CheckMark = { name: name ?? target.name, options };
    Object.defineProperty(target, marked, { value: mark });
  };
}

/** The arguments of a class's `@HealthCheck()`; its own name without the decorator. */
export function markOf(target: CheckClass): CheckMark {
  if (!Object.hasOwn(target, marked)) return { name: target.name, options: {} };
  // oxlint-disable-next-line typescript/consistent-type-assertions -- only the decorator sets it
  return Reflect.get(target, marked) as CheckMark;
}

/** By Nest's own metadata, which the polyfill keeps that Nest loads. */
function isInjectable(target: object): boolean {
  const hasOwn: unknown = Reflect.get(Reflect, 'hasOwnMetadata');
  return typeof hasOwn === 'function' && Reflect.apply(hasOwn, Reflect, ['__injectable__', target]) === true;
}

/** Whether a value is a class whose instances are checks or indicators, by their methods or because it says so. */
export function isCheckClass(value: unknown): value is CheckClass {
  if (typeof value !== 'function') return false;
  return Object.hasOwn(value, marked) || hasCheck(value.prototype);
}

/** Whether an instance is a check or an indicator. */
export function hasCheck(value: unknown): value is CheckProvider | IndicatorProvider {
  if (!isObject(value)) return false;
  return isIndicator(value) || ('check' in value && typeof value.check === 'function');
}

/** Whether an instance follows the way of @nestjs/terminus. */
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
  const { message, error, ...rest } = data;
  const sentence = message === undefined ? error : message;
  const reason = sentence === undefined ? '' : dataText(sentence);
  const beside = message === undefined || error === undefined ? rest : { error, ...rest };
  const more = Object.entries(beside)
    .map(([key, value]) => `${key}: ${dataText(value)}`)
    .join(', ');
  const said = reason !== '' && more !== '' ? `${reason} (${more})` : reason + more;
  const text = scrub(`${name} is ${status}${said === '' ? '' : `: ${said}`}`);
  const fields = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fieldOf(value)]));
  return status === 'down'
    ? new ErrorMessage(text, { id: messageIds.indicator, fields })
    : new Warning(text, { id: messageIds.indicator, fields });
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
