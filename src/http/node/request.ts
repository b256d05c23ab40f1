import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';

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
  write(piece: string | Uint8Array, sent: () => void): unknown;
  end(body: string | Uint8Array): unknown;
  destroy?(): unknown;
  on(event: 'close' | 'finish', listener: () => void): unknown;
}

/** A request header as one text: of several, the first. */
export function headerOf(req: NodeRequest, name: string): string | undefined {
  const value = req.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
