import { isPlain } from '../core/objects.js';
import type { BrokerClient } from './brokers/index.js';
import type { DatabaseClient } from './databases/index.js';
import type { RedisClient } from './key-values/index.js';
import type { MigrationSource } from './migrations/libraries.js';

/** One client, a list of them, or some with names: one check each. A function with a name may be a method: it is not called. */
export type OneOrMore<Client> = Client | readonly Client[] | { readonly [name: string]: NoFunction<Client> };
type NoFunction<Client> = Client extends () => unknown ? never : Client;

/** The clients, by their options. This is the only list of them: options, settings, `watch` and the types are derived from it. */
export interface Clients {
  /**
   * A database client or pool: registers `check_database_connected`. A list registers
   * `check_database_connected_1` and so on; `{ main, replica }` registers `check_database_connected_main` and so on.
   */
  readonly db: DatabaseClient;
  /** A Redis or Valkey client: registers `check_redis_connected`; lists and names as for `db`. */
  readonly redis: RedisClient;
  /** The source of the migrations: registers `check_migrations_applied`; lists and names as for `db`. */
  readonly migrations: MigrationSource;
  /** A message broker client, or a function that returns the current one: registers `check_broker_connected`; lists and names as for `db`. */
  readonly broker: BrokerClient;
}

export type ClientOption = keyof Clients;

/** The clients of the built-in checks: each one given registers its check. */
export type BuiltInOptions = {
  readonly [Option in ClientOption]?: OneOrMore<Clients[Option]> | undefined;
};

/** The same with every option, so that the compiler refuses a place that leaves one out. */
export type EveryClient = { readonly [Option in ClientOption]: BuiltInOptions[Option] };

/** The checks of clients in the order in which they are registered, with the names of their factories in `lifesign/checks`. */
export const clientChecks = [
  { option: 'db', name: 'check_database_connected', exportName: 'checkDatabaseConnected' },
  { option: 'migrations', name: 'check_migrations_applied', exportName: 'checkMigrationsApplied' },
  { option: 'redis', name: 'check_redis_connected', exportName: 'checkRedisConnected' },
  { option: 'broker', name: 'check_broker_connected', exportName: 'checkBrokerConnected' },
] as const satisfies readonly {
  readonly option: ClientOption;
  readonly name: string;
  readonly exportName: string;
}[];

export type ClientCheck = (typeof clientChecks)[number];

export const clientOptions: readonly ClientOption[] = clientChecks.map(({ option }) => option);

export function withoutClients<Options extends BuiltInOptions>(
  options: Options,
): { readonly clients: BuiltInOptions; readonly rest: Omit<Options, ClientOption> } {
  const { db, migrations, redis, broker, ...rest } = options;
  return { clients: { db, migrations, redis, broker }, rest };
}

/** The clients of a list, counted from one, or of a plain object; none of anything else. */
export function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return value.map((client: unknown, index) => [String(index + 1), client]);
  return isPlain(value) ? Object.entries(value) : [];
}
