import { Injectable, type Type } from '@nestjs/common';
import type { CheckContext, CheckOptions } from '../../core/heartbeat/check.js';
import type { NestCheck } from './indicator.js';
import { isObject } from '../../core/objects.js';

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
  const mark: unknown = Object.hasOwn(target, marked) ? Reflect.get(target, marked) : undefined;
  return isMark(mark) ? mark : { name: target.name, options: {} };
}

function isMark(value: unknown): value is CheckMark {
  return isObject(value) && 'name' in value && 'options' in value;
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
