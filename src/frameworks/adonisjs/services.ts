import type { ApplicationService } from '@adonisjs/core/types';
import type { BuiltInOptions } from '../../checks/built-in.js';
import { hasMethods, property } from '../../checks/client.js';
import { isDatabase } from '../../checks/databases/index.js';
import { isMigrationSource } from '../../checks/migrations/applied.js';
import { isRedisClient } from '../../checks/key-values/connected.js';
import type { Imported } from '../../profiles/settings/import-path.js';
import type { AdoptedCheck, SettingsHost } from '../../profiles/settings/checks.js';
import { adoptCheck, isAdonisCheck, isAdonisCheckClass } from './check.js';
import type { AdonisSettings } from './health.js';

/** Finds in the container of AdonisJS what the settings leave open. */
export class Services implements SettingsHost {
  readonly #app: ApplicationService;
  readonly #settings: AdonisSettings;

  constructor(app: ApplicationService, settings: AdonisSettings) {
    this.#app = app;
    this.#settings = settings;
  }

  async clients(): Promise<BuiltInOptions> {
    const { HEALTH_DB: db, HEALTH_MIGRATIONS: migrations, HEALTH_REDIS: redis } = this.#settings;
    return {
      db: db ?? (await this.#lucid()),
      migrations: migrations ?? (await this.#migrator()),
      redis: redis ?? (await this.#redis()),
    };
  }

  async adopt({ name, value }: Imported): Promise<AdoptedCheck | undefined> {
    if (isAdonisCheck(value)) return adoptCheck(name, value);
    if (!isAdonisCheckClass(value)) return undefined;
    return adoptCheck(name, await this.#app.container.make(value));
  }

  async #lucid(): Promise<BuiltInOptions['db']> {
    const db = await this.#service('lucid.db');
    return isDatabase(db) ? db : undefined;
  }

  /** Lucid's own migrator, which knows the folders and tables of the configuration. It is never run. */
  async #migrator(): Promise<BuiltInOptions['migrations']> {
    const db = await this.#service('lucid.db');
    if (db === undefined) return undefined;
    const module: unknown = await this.#app.import('@adonisjs/lucid/migration');
    const Runner: unknown = property(module, 'MigrationRunner');
    if (typeof Runner !== 'function') return undefined;
    const runner: unknown = Reflect.construct(Runner, [db, this.#app, { direction: 'up', dryRun: true }]);
    return isMigrationSource(runner) ? runner : undefined;
  }

  /** The default connection of @adonisjs/redis: its ioredis is inside. */
  async #redis(): Promise<BuiltInOptions['redis']> {
    const manager = await this.#service('redis');
    const connection = hasMethods(manager, 'connection')
      ? Reflect.apply(manager.connection, manager, [])
      : undefined;
    const client = property(connection, 'ioConnection');
    return isRedisClient(client) ? client : undefined;
  }

  async #service(binding: string): Promise<unknown> {
    const { container } = this.#app;
    return container.hasBinding(binding) ? container.make(binding) : undefined;
  }
}
