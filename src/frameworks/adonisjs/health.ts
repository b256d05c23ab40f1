import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '@adonisjs/core/http';
import type { ApplicationService } from '@adonisjs/core/types';
import type { OneOrMore } from '../../checks/built-in.js';
import type { BrokerClient } from '../../checks/brokers/connected.js';
import type { DatabaseClient } from '../../checks/databases/connected.js';
import type { MigrationSource } from '../../checks/migrations/applied.js';
import type { RedisClient } from '../../checks/key-values/connected.js';
import type { LoggerLike } from '../../logging/adopt.js';
import { type Settings, SettingsHealth } from '../../profiles/settings/settings.js';
import type { AdonisCheck } from './check.js';

/** What stands for a client that does not exist yet when `config/health.ts` is read: a name, or a function. */
type Later<Client> = string | ((app: ApplicationService) => Found<Client> | Promise<Found<Client>>);
/** What such a function returns: the client, its name, or the module whose default export it is. */
type Found<Client> = Client | string | readonly string[] | { readonly default: Client };
/** One, a list, or some with names, as for the extension. */
type Source<Client> =
  | OneOrMore<Client>
  | Later<OneOrMore<Client>>
  | readonly (Client | Later<Client>)[]
  | { readonly [name: string]: Client | Later<Client> };

type Plain = Settings<AdonisCheck | (new (...args: never[]) => AdonisCheck), never, HttpContext>;

/** The settings on AdonisJS. */
export interface AdonisSettings extends Omit<
  Plain,
  'HEALTH_BROKER' | 'HEALTH_DB' | 'HEALTH_MIGRATIONS' | 'HEALTH_REDIS' | 'HEALTH_LOGGER'
> {
  /**
   * The database that the built-in check uses: names of connections in `config/database.ts`, clients, or a function
   * that returns them. Default: Lucid's default connection.
   */
  readonly HEALTH_DB?: Source<DatabaseClient> | undefined;
  /** The migrations that the built-in check compares, as `HEALTH_DB`. Default: those of one `HEALTH_DB`, or of the default connection. */
  readonly HEALTH_MIGRATIONS?: Source<MigrationSource> | undefined;
  /**
   * The Redis client that the built-in check uses: names of connections in `config/redis.ts`, clients, or a function
   * that returns them. Default: the default connection of @adonisjs/redis, where `HEALTH_CHECKS` lists that check.
   */
  readonly HEALTH_REDIS?: Source<RedisClient> | undefined;
  /** The message broker client that the built-in check uses, or a function that returns it. */
  readonly HEALTH_BROKER?: Source<BrokerClient> | undefined;
  /** Where records go: a logger, the name of one in `config/logger.ts`, or a function that returns it. */
  readonly HEALTH_LOGGER?: LoggerLike | false | Later<LoggerLike | false> | undefined;
}

/**
 * The health object. Resolve it from the container to add checks or to listen to the signals.
 *
 * @example const health = await app.container.make(Health);
 */
export class Health extends SettingsHealth<IncomingMessage, HttpContext> {}
