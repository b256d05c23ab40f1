import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { deadlineOf } from '../../core/heartbeat/run.js';
import { host as runtime } from '../../core/runtime.js';
import { NotReady } from '../client.js';
import { waitingShare } from '../flight.js';

/** The part of a Node TLS server that the check uses. */
export interface TlsServer {
  address(): string | { readonly address: string; readonly port: number } | null;
  setSecureContext(...given: never): unknown;
}

/** Milliseconds for a connection, if the run of the check has no limit. */
const maxTimeout = 30_000;

/** When a certificate is valid, in milliseconds since 1970. */
interface Validity {
  readonly from: number;
  readonly to: number;
}

/** Certificates as they were found. */
export interface Presented {
  /** One at least; that of the host or server comes first. */
  readonly validities: readonly Validity[];
  /** Why a client does not trust them, to follow "The certificate". */
  readonly distrust?: string | undefined;
}

/** The certificates of a PEM file. */
export async function readFrom(file: string, signal: AbortSignal): Promise<Presented> {
  const fs = runtime.getBuiltinModule?.('node:fs/promises');
  const crypto = runtime.getBuiltinModule?.('node:crypto');
  if (fs === undefined || crypto === undefined) throw new NotReady('this runtime has no file system');
  const pem = await fs.readFile(file, { encoding: 'utf8', signal });
  const blocks =
    pem.match(/-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----[^-]*-----END \1?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new NotReady('the file contains no PEM certificate');
  return { validities: blocks.map((block) => validityOf(parsed(() => new crypto.X509Certificate(block)))) };
}

function parsed(parse: () => X509Certificate): X509Certificate {
  try {
    return parse();
  } catch {
    throw new NotReady('a certificate in the file is damaged');
  }
}

const validityOf = ({ validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>): Validity => ({
  from: Date.parse(validFrom),
  to: Date.parse(validTo),
});

/** The certificates that a server of this process serves: only a connection shows them. Who trusts them is not known here. */
export async function servedBy(
  server: TlsServer,
  servername: string | undefined,
  signal: AbortSignal,
): Promise<Presented> {
  const address = server.address();
  if (address === null) throw new NotReady('the server is not listening');
  const target =
    typeof address === 'string' ? { path: address } : { host: loopback(address.address), port: address.port };
  const { validities } = await presentedAt(
    { ...target, ...(servername !== undefined && { servername }) },
    signal,
  );
  return { validities };
}

const loopback = (address: string) => ({ '::': '::1', '0.0.0.0': '127.0.0.1' })[address] ?? address;

/** The certificates that a TLS service presents. */
export function presentedAt(target: ConnectionOptions, signal: AbortSignal): Promise<Presented> {
  const tls = runtime.getBuiltinModule?.('node:tls');
  if (tls === undefined) return Promise.reject(new NotReady('this runtime has no TLS'));
  return new Promise((resolve, reject) => {
    // The certificate is wanted in any case: whether it is trusted is judged after that.
    const socket = tls.connect({ ...target, rejectUnauthorized: false });
    const fail = (error: unknown) => {
      socket.destroy();
      reject(error);
    };
    const giveUp = () => fail(signal.reason);
    const late = () => fail(Object.assign(new Error('Connecting took too long'), { code: 'ETIMEDOUT' }));
    const rest = Math.min(maxTimeout, deadlineOf(signal) - performance.now());
    const timer = setTimeout(late, Math.max(1, rest * waitingShare));
    timer.unref();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.on('error', fail);
    socket.once('secureConnect', () => {
      const presented = presentedOn(socket);
      if (presented.validities.length > 0) resolve(presented);
      else reject(new NotReady('the server presented no certificate'));
      // Closed without a reset, which the server would report as an error; if it does not close its side, the timer does.
      socket.resume();
      socket.end();
      socket.unref();
    });
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      reject(new NotReady('the server closed the connection'));
    });
  });
}

function presentedOn(socket: TLSSocket): Presented {
  const validities: Validity[] = [];
  const seen = new Set<string>();
  for (
    let each: ReturnType<typeof socket.getPeerCertificate> | undefined = socket.getPeerCertificate(true);
    each?.fingerprint256 !== undefined && !seen.has(each.fingerprint256);
    each = Reflect.get(each, 'issuerCertificate')
  ) {
    seen.add(each.fingerprint256);
    validities.push(validityOf({ validFrom: each.valid_from, validTo: each.valid_to }));
  }
  // Node has its code here, whatever the types say.
  if (!socket.authorized) return { validities, distrust: distrustOf(String(socket.authorizationError)) };
  // Servers may send expired certificates that clients do not need.
  return { validities: validities.filter(({ to }, at) => at === 0 || to > Date.now()) };
}

const distrustOf = (code: string) =>
  code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? `is for other host names (${code})` : `is not trusted (${code})`;
