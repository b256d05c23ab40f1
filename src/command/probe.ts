// The texts of the probe, shared with the other commands. It loads nothing: a probe must start fast.
import { milliseconds } from '../core/options/rules.js';

export const help = `Usage: lifesign probe [URL] [options]

Requests a health endpoint once, prints one line. Exit code: 0 for 2xx, else 1.
URL: http://…, https://… or unix:/file.sock; by default http://127.0.0.1:$PORT
With --file it checks the age of the file that a healthy worker touches.

Options
  --path PATH      path and query to request       (default /__lbheartbeat__)
  --timeout TIME   how long to wait: 500ms, 3s     (default 3s)
  --port PORT      port on this machine            (default $PORT, else 8000)
  --file FILE      a worker's file, not a server   (default $HEALTH_FILE)
  --max-age TIME   maximum age of that file        (default 30s)
  --insecure       accept any certificate over https
  --help           show this help

Example for a Dockerfile
  HEALTHCHECK --interval=10s --timeout=5s CMD ["lifesign", "probe"]
`;

/** The milliseconds of a time on the command line, such as `500ms` or `3s`; undefined if it is not one. */
export function parseTime(text: string): number | undefined {
  const value = milliseconds(text);
  // A timer takes no more.
  return typeof value === 'number' && value >= 1 && value < 2 ** 31 ? value : undefined;
}

export const timeExpected = 'it must be a time such as 500ms, 3s or 10m';

/** Whether a file is new enough, and the line that says so. */
export function judgeFile(path: string, maxAge: number): { readonly ok: boolean; readonly line: string } {
  const { statSync } = process.getBuiltinModule('node:fs');
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return { ok: false, line: `${path} is not a regular file` };
    const age = Date.now() - stat.mtimeMs;
    const touched = `${path} was touched ${seconds(Math.abs(age))} ${age < 0 ? 'in the future' : 'ago'}`;
    if (Math.abs(age) <= maxAge) return { ok: true, line: touched };
    // A clock that was set back must not keep a dead worker alive.
    const why = age < 0 ? 'the clock was set back' : 'the worker is unhealthy or stuck';
    return { ok: false, line: `${touched}, more than ${seconds(maxAge)}: ${why}` };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    const missing = 'does not exist: the worker has not been healthy yet, or has exited';
    return { ok: false, line: `${path} ${code === 'ENOENT' ? missing : `cannot be read (${code})`}` };
  }
}

const seconds = (ms: number) => (ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`);

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

const reasons: readonly (readonly [string, RegExp])[] = [
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

/** Why there was no response, with the code and the address; undefined for other errors. `insecure` says how to accept a certificate. */
export function unreachable(error: Failure, insecure = '; --insecure accepts it'): string | undefined {
  const { code = '', message } = error;
  if (/^(EPROTO|ERR_SSL_\w+)$/.test(code)) return tlsFailure(code, message);
  if (/ALTNAME/.test(code)) return `the certificate is for other host names (${code})${insecure}`;
  if (certificate.test(code)) return `the certificate is not trusted (${code})${insecure}`;
  const [reason] = reasons.find(([, codes]) => codes.test(code)) ?? [];
  if (reason === undefined) return undefined;
  const { address, hostname, port } = error.errors?.[0] ?? error;
  const host = address ?? hostname;
  const where = host === undefined ? '' : ` ${host}${port === undefined ? '' : `:${port}`}`;
  return `${reason} (${code}${where})`;
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
