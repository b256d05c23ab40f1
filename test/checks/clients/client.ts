import { readFileSync } from 'node:fs';
import type { DatabaseClient } from 'lifesign/checks';

/** Where and as whom a client connects. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export const poolSize = 10;

/** A client as an application holds it. */
export interface OpenClient {
  readonly client: DatabaseClient;
  /** Slots of its pool that are taken, where the client tells. */
  readonly slots?: () => number;
  /** An ordinary query of the application. */
  readonly query: (sql: string) => Promise<unknown>;
  readonly close: () => unknown;
}

/** A client library that the matrix exercises. */
export interface Exercised {
  readonly name: string;
  /** The package whose version the table prints. */
  readonly package: string;
  /** False for a single connection: a new one is made after a crash, as applications do. */
  readonly reconnects?: false;
  /** True where the client has no way to give a slot back that waits for a frozen server. */
  readonly holds?: true;
  /** False where the pool does not tell its limit: one that is full looks like one that waits for the server. */
  readonly tellsLimit?: false;
  /** Ids where nothing listens, where they are not those of a pool that tries anew at each question. */
  readonly refused?: readonly string[];
  open(target: Target): Promise<OpenClient> | OpenClient;
}

export function versionOf(name: string): string {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  return manifest.version;
}
