import type { MigrationSource } from 'lifesign/checks';

export type Dialect = 'mariadb' | 'sqlite';

/** Where one library finds its database and its files. */
export interface Place {
  readonly dialect: Dialect;
  readonly folder: string;
  /** MariaDB: as whom and where. */
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** SQLite. */
  readonly file: string;
}

export interface Opened {
  readonly source: MigrationSource;
  /** Applies all that is known, as the library itself does it. */
  readonly apply: () => Promise<unknown>;
  readonly close: () => unknown;
}

export const connection = ({ port, database, user }: Place) => ({ host: '127.0.0.1', port, database, user });
