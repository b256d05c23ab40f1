import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { scrub } from '../../core/scrub/scrub.js';
import type { AdoptedCheck } from '../../profiles/settings/checks.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { isObject } from '../../core/objects.js';

interface Result {
  readonly status: 'ok' | 'warning' | 'error';
  readonly message: string;
}

/** A check of `@adonisjs/core/health`, or a `HealthChecks` with several of them. */
export interface AdonisCheck {
  readonly name?: string;
  /** Seconds. */
  readonly cacheDuration?: number | undefined;
  run(): Promise<Result | { readonly checks: readonly (Result & { readonly name: string })[] }>;
}

/** The check as one of ours: its `warning` is a Warning, its `error` an Error. */
export function adoptCheck(name: string, check: AdonisCheck): AdoptedCheck {
  return {
    name: check.name ?? name,
    async check() {
      const outcome = await check.run();
      const results = 'checks' in outcome ? outcome.checks : [{ name: '', ...outcome }];
      return results.flatMap((result) => messageOf(result) ?? []);
    },
    options: check.cacheDuration === undefined ? {} : { cacheFor: check.cacheDuration * 1000 },
  };
}

function messageOf({ name, status, message }: Result & { readonly name: string }): CheckMessage | undefined {
  if (status === 'ok') return undefined;
  const text = scrub(name === '' ? message : `${name}: ${message}`);
  return status === 'error'
    ? new ErrorMessage(text, { id: messageIds.indicator })
    : new Warning(text, { id: messageIds.indicator });
}

export function isAdonisCheck(value: unknown): value is AdonisCheck {
  return isObject(value) && 'run' in value && typeof value.run === 'function';
}

/** Whether a value is a class of such checks. */
export function isAdonisCheckClass(value: unknown): value is new (...args: never[]) => AdonisCheck {
  return typeof value === 'function' && isAdonisCheck(value.prototype);
}
