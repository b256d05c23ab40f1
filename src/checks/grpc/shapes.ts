import { hasMethods, isObject, property } from '../client.js';

/** A @grpc/grpc-js client, such as every generated one. */
export interface GrpcClient {
  makeUnaryRequest(...given: never): { cancel(): void };
  getChannel(): { getTarget(): string };
  close(): void;
}

/** A server to connect to, with your own `@grpc/grpc-js`: `import * as grpc from '@grpc/grpc-js'`. */
export interface GrpcTarget<Credentials> {
  readonly grpc: {
    readonly Client: new (
      address: string,
      credentials: Credentials,
      options: { readonly 'grpc.use_local_subchannel_pool': 1 },
    ) => GrpcClient;
    readonly credentials: { createInsecure(): Credentials };
  };
  /** Such as `hero:50051`. */
  readonly address: string;
  /** Default: without TLS. */
  readonly credentials?: Credentials;
}

export const isClient = (value: unknown): value is GrpcClient =>
  hasMethods(value, 'makeUnaryRequest', 'getChannel');

export function isTarget<Credentials>(value: GrpcTarget<Credentials>): boolean {
  const library = property(value, 'grpc');
  const address = property(value, 'address');
  return (
    typeof property(library, 'Client') === 'function' &&
    isObject(property(library, 'credentials')) &&
    typeof address === 'string' &&
    address !== ''
  );
}
