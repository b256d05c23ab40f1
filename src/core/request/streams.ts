import { shared } from '../shared.js';

/** The part of an HTTP/2 response that says whether it has ended, and whether the client is still connected. */
export interface StreamResponse {
  readonly writableEnded: boolean;
  readonly stream?: { readonly destroyed?: boolean; once?(event: string, listener: () => void): unknown };
  /** The request, as Node has it. */
  readonly req?: unknown;
}

/** Called with each request over HTTP/2 that reaches a Health: Node publishes them on no channel, unlike those over HTTP/1. */
export const streamListeners: Set<(message: { readonly response: StreamResponse }) => void> =
  /* @__PURE__ */ shared('streams', () => new Set());

/** Notes a request, if it came over HTTP/2. */
export function noteStream(response: StreamResponse): void {
  if (response.stream === undefined) return;
  for (const listener of streamListeners) listener({ response });
}
