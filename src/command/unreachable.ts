/** Properties of errors of sockets, TLS and node:http besides their message. */
interface Failure extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly hostname?: string;
  readonly port?: number;
  /** Of a host with several addresses: one for each. */
  readonly errors?: readonly Failure[];
}

const notTls = /wrong version number|packet length too long|unknown protocol|http request/;
const certificate = /CERT|SIGNED|SIGNATURE|ISSUER|CRL|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH|MISMATCH|_TOO_/;

const sentences: readonly (readonly [string, RegExp])[] = [
  ['the host name does not exist', /^ENOTFOUND$/],
  ['the host name cannot be looked up now', /^EAI_/],
  ['the connection was refused, nothing is listening there', /^ECONNREFUSED$/],
  ['the server closed the connection', /^(ECONNRESET|ECONNABORTED|EPIPE)$/],
  ['connecting took too long', /^ETIMEDOUT$/],
  ['there is no route to the host', /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/],
  ['the socket does not exist', /^(ENOENT|ENOTDIR)$/],
  ['the user of this command may not connect to it', /^(EACCES|EPERM)$/],
  ['the server does not speak HTTP on that port', /^HPE_INVALID_(CONSTANT|VERSION)$/],
];

/**
 * Why there was no response, as a sentence with the code and the address; undefined for other errors. Loads nothing: a probe must start fast.
 * `insecure` says how to accept a certificate.
 */
export function unreachable(error: Failure, insecure = '; --insecure accepts it'): string | undefined {
  const { code = '', message } = error;
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code)) return tlsFailure(code, message);
  if (/ALTNAME/.test(code)) return `the certificate is for other host names (${code})${insecure}`;
  if (certificate.test(code)) return `the certificate is not trusted (${code})${insecure}`;
  const found = sentences.find(([, codes]) => codes.test(code));
  if (found === undefined) return undefined;
  const { address, hostname, port } = error.errors?.[0] ?? error;
  const host = address ?? hostname;
  const where = host === undefined ? '' : ` ${host}${port === undefined ? '' : `:${port}`}`;
  return `${found[0]} (${code}${where})`;
}

function tlsFailure(code: string, message: string): string {
  // OpenSSL: error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/…
  const [, reason = ''] = /SSL routines:[^:]*:([^:\n]+)/.exec(message) ?? [];
  const detail = reason === '' ? code : `${code}: ${reason}`;
  if (notTls.test(reason)) return `the server does not speak TLS on that port, try http:// (${detail})`;
  if (/certificate required/.test(reason))
    return `the server asks for a client certificate, and this command has none (${detail})`;
  return `client and server cannot agree on TLS (${detail})`;
}
