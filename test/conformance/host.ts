import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HealthCore, HealthOptions, LogRecord, VersionCallback } from 'lifesign';
import type { Check, CheckOptions } from 'lifesign/checks';

/** What a case wants of an application. */
export interface Setup {
  readonly options?: HealthOptions;
  /** By name, or as pairs where the order of names like "10" matters. */
  readonly checks?: Readonly<Record<string, Check>> | readonly (readonly [string, Check])[];
  readonly checkOptions?: CheckOptions;
  readonly versionCallback?: VersionCallback;
}

/**
 * A framework under test. Its application answers, behind lifesign:
 * `GET /` 200 `{"hello":"world"}`; `GET /rid` 200 `{"rid": requestId()}`; `GET /boom` throws `new Error('boom from app')` unhandled;
 * `POST /echo` 201 `{"posted":true}`, after it has read a body that is declared as JSON, as applications of the framework do;
 * `GET /stream` 200 and pieces of `endless()` until the client leaves; everything else 404 `{"application":"not found"}`.
 */
export interface Host {
  readonly name: string;
  start(setup: Setup): Promise<RunningHost>;
}

export interface RunningHost {
  readonly origin: string;
  readonly port: number;
  /** A connection to it, for a host that has no port. */
  readonly connect?: () => Duplex;
  readonly health: HealthCore<never>;
  /** Whether the server tells a path only as it is after normalisation: `/x/../y` is `/y`. */
  readonly normalised?: boolean;
  /** Every log record since the start. */
  readonly records: readonly LogRecord[];
  close(): Promise<void>;
}

/** A new connection to a host, on which bytes are sent as they are. */
export const connectTo = (host: RunningHost): Duplex => host.connect?.() ?? connect(host.port, '127.0.0.1');

/** Options with a logger that collects, and the list it collects into. */
export function collecting(setup: Setup): { options: HealthOptions; records: LogRecord[] } {
  const records: LogRecord[] = [];
  return { records, options: { logger: { log: (record) => records.push(record) }, ...setup.options } };
}

/** Registers what the case asks for. */
export function prepare<Request>(health: HealthCore<Request>, setup: Setup): void {
  const { checks = [], checkOptions } = setup;
  const pairs: readonly (readonly [string, Check])[] = isPairs(checks) ? checks : Object.entries(checks);
  for (const [name, check] of pairs) health.check(name, check, checkOptions);
  if (setup.versionCallback) health.versionCallback(setup.versionCallback);
}

const isPairs = (checks: NonNullable<Setup['checks']>): checks is readonly (readonly [string, Check])[] =>
  Array.isArray(checks);

/** Serves a node:http server on a free loopback port. */
export async function listen(
  server: Server,
  health: HealthCore<never>,
  records: readonly LogRecord[],
): Promise<RunningHost> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    health,
    records,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A body without an end: a piece every few milliseconds. */
export async function* endless(): AsyncGenerator<string> {
  for (;;) {
    yield 'piece ';
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The same for handlers that return a Response. */
export function endlessResponse(): Response {
  const pieces = endless();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value } = await pieces.next();
      controller.enqueue(new TextEncoder().encode(value ?? ''));
    },
  });
  return new Response(body);
}

/** The body of a request, as parsers read it. */
export async function bodyOf(req: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const piece of req) text += String(piece);
  return text;
}
