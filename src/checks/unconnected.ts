import { deadlineOf } from '../core/heartbeat/abort.js';
import { within } from '../core/deadlines.js';
import { NotReady } from './client.js';
import type { Starter } from './flight.js';
import { waitingShare } from './pools/lending.js';
import { connectTcp } from './tcp-connect.js';

/**
 * Why a client that could not connect at start is of no use: it has lost the error, so a connection like its own is tried. Rejects with that error,
 * or with only `text` if the server takes the connection. One attempt at a time, however long it takes.
 */
export function unconnected(
  text: string,
  connect: () => PromiseLike<unknown>,
): (starter: Starter) => Promise<never> {
  let trying: Promise<unknown> | undefined;
  return async ({ signal }) => {
    trying ??= failureOf(connect).finally(() => {
      trying = undefined;
    });
    throw new NotReady(text, { cause: await within<unknown>(trying, timeFor(signal), late({})) });
  };
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Throws why none of these addresses takes a connection; does nothing if one does. */
export async function requireReachable(addresses: readonly Address[], { signal }: Starter): Promise<void> {
  const failures = await Promise.all(
    addresses.map((address) =>
      within<unknown>(
        failureOf(() => connectTcp(address.host, address.port, signal)),
        timeFor(signal),
        late(address),
      ),
    ),
  );
  const [first] = failures;
  if (first !== undefined && !failures.includes(undefined)) throw first;
}

/** The error of an attempt; undefined if it succeeds. */
const failureOf = (attempt: () => PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => undefined,
      (thrown: unknown) => thrown ?? {},
    );

const timeFor = (signal: AbortSignal) => Math.max(1, (deadlineOf(signal) - performance.now()) * waitingShare);

const late = (address: Partial<Address>) => ({ code: 'ETIMEDOUT', ...address });
