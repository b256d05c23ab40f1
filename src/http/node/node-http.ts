// The parts of node:http, https and http2 that are used.
import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { isObject } from '../../core/objects.js';

/** A request of node:http, https or http2. */
export type NodeRequest = IncomingMessage | Http2ServerRequest;

/** The parts of a node:http, https or http2 response that are used. */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly destroyed?: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished?: boolean;
  shouldKeepAlive?: boolean;
  /** Null while others are before it on its connection. */
  readonly socket?: object | null;
  /** The error it was destroyed with. */
  readonly errored?: Error | null;
  /** Of HTTP/2. */
  readonly stream?: {
    readonly writableFinished: boolean;
    readonly destroyed?: boolean;
    /** Whether neither side can send more. */
    readonly closed?: boolean;
    once?(event: 'close' | 'aborted' | 'end', listener: () => void): unknown;
    readonly rstCode?: number | undefined;
    readonly errored?: Error | null;
  };
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  end(body: string | Uint8Array): unknown;
  destroy?(): unknown;
  on(event: 'close' | 'finish', listener: () => void): unknown;
}

/** A server of node:http, https or http2, or whatever a framework has in its place. */
export interface NodeServer {
  emit(event: string | symbol, ...args: readonly unknown[]): boolean;
}

/** Whether a value is such a server, or whatever takes its place. */
export function hasEvents(value: unknown): value is NodeServer {
  return isObject(value) && 'emit' in value && typeof value.emit === 'function';
}
