import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '@adonisjs/core/http';
import type { ApplicationService } from '@adonisjs/core/types';
import type { ClientOption, Clients, OneOrMore } from '../../checks/clients.js';
import type { LoggerLike } from '../../logging/adopt.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { isObject } from '../../core/objects.js';
import { scrub } from '../../core/scrub/scrub.js';
import type { AdoptedCheck } from '../../profiles/settings/checks.js';
import { SettingsHealth } from '../../profiles/settings/settings-health.js';
import type { Settings } from '../../profiles/settings/settings.js';

/** The placeholder for a client that does not exist yet when `config/health.ts` is read: a name, or a function. */
type Later<Client> = string | ((app: ApplicationService) => Found<Client> | Promise<Found<Client>>);
/** The result of such a function: the client, its name, or the module whose default export it is. */
type Found<Client> = Client | string | readonly string[] | { readonly default: Client };
/** One, a list, or some with names, as for the extension. */
type Source<Client> =
  | OneOrMore<Client>
  | Later<OneOrMore<Client>>
  | readonly (Client | Later<Client>)[]
  | { readonly [name: string]: Client | Later<Client> };

type Plain = Settings<AdonisCheck | (new (...args: never[]) => AdonisCheck), never, HttpContext>;

/** The clients: names of connections in `config/database.ts` and `config/redis.ts`, clients, or functions that return them. */
type AdonisClients = {
  readonly [Option in ClientOption]?: Source<Clients[Option]> | undefined;
};

/** The settings on AdonisJS. */
export interface AdonisSettings extends Omit<Plain, ClientOption | 'logger'>, AdonisClients {
  /** Where records go: a logger, the name of one in `config/logger.ts`, or a function that returns it. */
  readonly logger?: LoggerLike | false | Later<LoggerLike | false> | undefined;
}

/**
 * The health object. Resolve it from the container to add checks or to listen to the signals.
 *
 * @example const health = await app.container.make(Health);
 */
export class Health extends SettingsHealth<IncomingMessage, HttpContext> {}

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
