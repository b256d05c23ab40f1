/**
 * The process on Node, Bun and Deno; empty on workers, whatever the types say.
 * Node's built-ins are taken from it and not imported, so that the core loads on every runtime
 * and Node loads only what is used: `host.getBuiltinModule?.('node:path')`.
 */
export const host: Partial<NodeJS.Process> = globalThis.process ?? {};

/** The environment variables, none on runtimes without them. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return host.env ?? {};
}

/** Whether a timer ends with the request that set it: on Cloudflare, by whatever it has of Node, and perhaps on other workers. */
export const timersEndWithRequest: boolean =
  host.getBuiltinModule === undefined || globalThis.navigator?.userAgent === 'Cloudflare-Workers';
