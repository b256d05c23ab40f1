/** What the server counted. */
export interface Counts {
  readonly connections: number;
  readonly statements: number;
}

/** Servers of one set-up, and what may happen to them. */
export interface Stage {
  readonly port: number;
  readonly database: string;
  /** A certificate to trust, if the server speaks TLS. */
  readonly ca?: string;
  /** A crash, and the start after it. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** The user of the application gets another password, and its connections end. */
  changePassword(password: string): Promise<void>;
  /** Others take every connection that the server accepts; returns what gives them back. */
  fill(): Promise<() => Promise<void>>;
  /** The server refuses to write. */
  setReadOnly(isOn: boolean): Promise<void>;
  /** All connections and statements of the application so far. */
  count(): Promise<Counts>;
  stop(): Promise<void>;
}

/** The user of the application. */
export const planted = {
  user: 'planted_user',
  password: 'pl4nted-S3cret',
  database: 'planted_base',
} as const;

/** What the application has of a set-up. */
export interface Opened {
  /** The ids of one heartbeat. */
  ids(): Promise<readonly string[]>;
  /** Takes every connection of the pool for some seconds. */
  exhaust?(): Promise<unknown>;
  close(): unknown;
}

/** A client and the way to its server. */
export interface SetUp {
  readonly name: string;
  readonly version: string;
  /** Which messages it may have for what goes wrong. */
  readonly kind: 'database' | 'migrations' | 'redis' | 'cluster';
  stage(): Promise<Stage>;
  open(stage: Stage): Promise<Opened>;
}
