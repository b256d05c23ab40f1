import { Injectable, type Type } from '@nestjs/common';
import type { CheckContext, CheckOptions } from '../../core/heartbeat/check.js';
import type { NestCheck } from './indicator.js';

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

/** What `@HealthCheck()` says of a class. */
export interface CheckMark {
  readonly name: string;
  readonly options: CheckOptions;
}

/**
 * Makes an injectable class a check: its method `check` runs with every heartbeat. List the class in `HEALTH_CHECKS`.
 *
 * @example
 * @HealthCheck('storage', { timeout: 500 })
 * class StorageCheck { check() { return [new checks.Warning('Storage is slow', { id: 'acme.W001' })]; } }
 */
export function HealthCheck(name?: string, options: CheckOptions = {}): (target: CheckClass) => void {
  return (target) => {
    Injectable()(target);
    const mark: CheckMark = { name: name ?? target.name, options };
    Object.defineProperty(target, marked, { value: mark });
  };
}

/** What `@HealthCheck()` said of a class; its own name where it was not asked. */
export function markOf(target: CheckClass): CheckMark {
  const mark: unknown = Object.hasOwn(target, marked) ? Reflect.get(target, marked) : undefined;
  return isMark(mark) ? mark : { name: target.name, options: {} };
}

function isMark(value: unknown): value is CheckMark {
  return typeof value === 'object' && value !== null && 'name' in value && 'options' in value;
}

/** Whether a value is a class whose instances are checks or indicators. */
export function isCheckClass(value: unknown): value is CheckClass {
  if (typeof value !== 'function') return false;
  const prototype: unknown = value.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  return typeof Reflect.get(prototype, 'check') === 'function' || isIndicator(prototype);
}

/** Whether an instance follows the way of @nestjs/terminus. */
export function isIndicator(value: object): value is IndicatorProvider {
  return 'isHealthy' in value && typeof value.isHealthy === 'function';
}
