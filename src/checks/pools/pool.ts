// The use of a pool, and how long a connection of it may be in use, in milliseconds: docs/probes.md promises the times.

/** A connection in use that runs no query for this time may be leaked: few requests hold one for longer while they do something else. */
export const leakedAfter = 60_000;
/** A connection whose driver waits for an answer while the server runs nothing for it is dead after this time: the answer may be on its way. */
export const deadAfter = 10_000;
/** The same for a single connection, on which a query of the check itself is open. */
export const unansweredAfter = 1000;

/** A pool, as a check uses it. */
export interface Pool<Connection> {
  acquire(): Promise<Connection>;
  /** The connections that are being made, of a pool that shows them. */
  readonly opening?: () => readonly unknown[];
  /** Ends one of them; resolves when the server has closed it too. */
  readonly cancel?: (opening: unknown) => Promise<void> | undefined;
  release(connection: Connection): unknown;
  /** Takes a connection without an answer out of the pool, so that its slot is free again; resolves when the server has closed it too. Some pools cannot. */
  readonly destroy?: (connection: Connection) => Promise<void> | undefined;
  readonly usage?: () => PoolUsage | undefined;
  /** Whether its own timeout ends a request: a second request would only take another slot. */
  readonly endsRequests?: boolean;
}

/** The counts of a pool; unknown ones are left out. */
export interface PoolUsage {
  readonly used: number;
  readonly max?: number | undefined;
  readonly waiting?: number | undefined;
  readonly connecting?: number | undefined;
}

/** Whether every connection of the pool is in use; one with room waits for the server instead. */
export function isFull({ used, max, connecting = 0 }: PoolUsage): boolean {
  return max === undefined ? used > 0 && connecting === 0 : used >= max;
}

/** `4 of 4 connections in use, 12 waiting`, as far as the pool shows it. */
export function usageText({ used, max, waiting }: PoolUsage): string {
  const all = max === undefined ? `${used}` : `${used} of ${max}`;
  return `${all} connections in use${waiting === undefined ? '' : `, ${waiting} waiting`}`;
}
