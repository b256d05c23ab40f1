import { hasMethods } from '../client.js';
import type { TimeThresholds } from '../thresholds.js';

/** A `ClientProxy` of @nestjs/microservices. */
export interface MicroserviceClient {
  connect(): Promise<unknown>;
  close(): unknown;
  send(
    pattern: unknown,
    data: unknown,
  ): {
    subscribe(observer: { next(value: unknown): void; error(thrown: unknown): void; complete(): void }): {
      unsubscribe(): void;
    };
  };
}

/** Options of `checks.microservice`; `warn` and `error` are milliseconds until the answer. */
export interface MicroserviceOptions extends TimeThresholds {
  /** A message to which the microservice replies. Without it, the connection is checked. */
  readonly pattern?: string | number | object;
  /** The data that is sent with the `pattern`. Default: an empty object. */
  readonly data?: unknown;
}

/** The client of gRPC cannot connect: it has clients of @grpc/grpc-js inside. */
export const isGrpc = (value: unknown) => hasMethods(value, 'getClientByServiceName');
export const isClient = (value: unknown) =>
  hasMethods(value, 'connect', 'close', 'send', 'emit') && !isGrpc(value);
