import type { ApplicationService } from '@adonisjs/core/types';
import type { BuiltInOptions, ClientOption } from '../../checks/clients.js';
import type { Imported } from '../../profiles/settings/import-path.js';
import type { AdoptedCheck, SettingsHost } from '../../profiles/settings/checks.js';
import { adoptCheck, isAdonisCheck, isAdonisCheckClass } from './check.js';
import { broker, database, type Kind, migrations, redis, resolve } from './connections.js';
import type { AdonisSettings } from './health.js';

/** Finds clients in the container of AdonisJS that the settings do not name. */
export class Services implements SettingsHost {
  readonly #app: ApplicationService;
  readonly #settings: AdonisSettings;
  #clients: Promise<BuiltInOptions> | undefined;

  constructor(app: ApplicationService, settings: AdonisSettings) {
    this.#app = app;
    this.#settings = settings;
  }

  /** Once for all checks: functions of the settings are called once. */
  clients(): Promise<BuiltInOptions> {
    this.#clients ??= this.#resolve();
    return this.#clients;
  }

  async #resolve(): Promise<BuiltInOptions> {
    const { db, migrations: migrated, redis: store, broker: brokers } = this.#settings;
    const clients: Record<ClientOption, unknown> = {
      db: await this.#client(database, db),
      // Those of the database, if it is one connection.
      migrations: await this.#client(migrations, migrated ?? (typeof db === 'string' ? db : undefined)),
      redis: await this.#client(redis, store),
      broker: await this.#client(broker, brokers),
    };
    return areBuiltIns(clients) ? clients : {};
  }

  #client(kind: Kind, given: unknown): Promise<unknown> {
    return given === undefined ? kind.named(this.#app) : resolve(kind, this.#app, given);
  }

  async adopt({ name, value }: Imported): Promise<AdoptedCheck | undefined> {
    if (isAdonisCheck(value)) return adoptCheck(name, value);
    if (!isAdonisCheckClass(value)) return undefined;
    return adoptCheck(name, await this.#app.container.make(value));
  }
}

/** They are checked separately: registerBuiltIns does, and refuses values that no check supports. */
function areBuiltIns(clients: object): clients is BuiltInOptions {
  return 'db' in clients;
}
