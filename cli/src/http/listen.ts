import { once } from 'node:events';
import type { Server } from 'node:http';
import { integer } from '../../../src/core/options/rules.js';
import { describe } from '../../../src/core/scrub/scrub.js';
import { listenFailed, usageInvalid } from '../../../src/command/errors.js';

/** The port that an option of a command names. */
export function portFrom(option: string, text: string): number {
  const rule = integer(0, 65535);
  const port = rule.fromText?.(text);
  if (rule.accepts(port)) return port;
  throw usageInvalid(`${option} is ${JSON.stringify(text)}; it must be ${rule.expects}`);
}

/** Listens, and returns the address that a browser can open. */
export async function listen(
  server: Server,
  where: { readonly host: string; readonly port: number },
): Promise<string> {
  server.listen(where);
  try {
    await once(server, 'listening');
  } catch (thrown) {
    throw listenFailed(`${where.host}:${where.port}`, describe(thrown));
  }
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : where.port;
  const host = where.host.includes(':') ? `[${where.host}]` : where.host;
  return `http://${host === '0.0.0.0' ? 'localhost' : host}:${port}`;
}
