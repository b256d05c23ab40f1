import type { Server as HttpServer } from 'node:http';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import type { Server as HttpsServer } from 'node:https';
import { Server as NetServer } from 'node:net';

/** A server of node:http, https or http2. */
export type Server = HttpServer | HttpsServer | Http2Server | Http2SecureServer;

/** Whether a value is such a server. */
export function isServer(value: unknown): value is Server {
  return value instanceof NetServer && 'setTimeout' in value;
}
