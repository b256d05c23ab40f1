import { optionInvalid, portInvalid } from './errors.js';
import { integer, text } from './rules.js';
import { environment } from '../runtime.js';

/**
 * Where to listen: on `HOST`, every IPv4 interface when it is unset, and on `PORT`, 8000 when it is unset. An argument
 * wins: `listenOptions({ host: '::' })` listens on IPv6 as well.
 *
 * @example app.listen(listenOptions());
 */
export function listenOptions(given: { readonly host?: string | undefined } = {}): {
  host: string;
  port: number;
} {
  const { PORT: numbered = '' } = environment();
  if (given.host !== undefined && !text.accepts(given.host)) {
    throw optionInvalid(
      'Option host of listenOptions',
      given.host,
      'an IP address or a host name',
      'Fix it, or omit it to use the default (0.0.0.0).',
    );
  }
  const host = given.host ?? usualHost();
  const port = integer(0, 65535);
  if (numbered === '') return { host, port: 8000 };
  const parsed = port.fromText?.(numbered);
  if (!port.accepts(parsed)) throw portInvalid(numbered);
  return { host, port: parsed };
}

/** `HOST`, or every IPv4 interface. @internal */
export function usualHost(): string {
  return environment()['HOST'] || '0.0.0.0';
}
