import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions, DetailedPeerCertificate, TLSSocket } from 'node:tls';
import { type Check, withFacts } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { Error as ErrorMessage, Warning } from '../core/heartbeat/messages.js';
import { type Duration, optional, type Rule, text } from '../core/options/rules.js';
import { optionReader } from '../core/options/read-options.js';
import { optionInvalid } from '../core/options/errors.js';
import { host as runtime } from '../core/runtime.js';
import { lastPart } from '../core/scrub/printable.js';
import { span } from '../core/time.js';
import { notReady, reporting } from './reasons.js';
import { timeToWait } from './round-trip.js';
import { portRule } from './tcp.js';
import { aboveZero, type Thresholds } from './thresholds.js';

interface CertificateTimes {
  /** How long before the expiry the check warns. Default 21 days, if `error` is not set either. */
  readonly warn?: Duration | undefined;
  /** How long before the expiry the check fails. Default 7 days, if `warn` is not set either. */
  readonly error?: Duration | undefined;
}

interface CertificateOfHost extends CertificateTimes {
  /** A host that serves TLS: the certificate must be trusted, and valid for its name. */
  readonly host: string;
  /** Default 443. */
  readonly port?: number | undefined;
  /** The server name to request, if it is not `host`. */
  readonly servername?: string | undefined;
  /** Certificates to trust instead of Node's. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
}

interface CertificateOfFile extends CertificateTimes {
  /** A PEM file, read with each run: of a chain, the certificate that expires first counts. */
  readonly file: string;
}

/** Options of `checks.certificate`. */
export type CertificateOptions = CertificateOfHost | CertificateOfFile;

const fix = "Write checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }).";

const known = ['host', 'port', 'servername', 'ca', 'file', 'warn', 'error'];

const pem: Rule<NonNullable<ConnectionOptions['ca']>> = {
  expects: 'a PEM text or a list of them',
  accepts: (value): value is string =>
    [value].flat().every((each) => typeof each === 'string' || each instanceof Uint8Array),
};

const day = 86_400_000;

/**
 * A check of a certificate: `health.E044`, an Error if it is not valid, expires within `error` or cannot be read, a Warning
 * if it expires within `warn`. Pass the `host` of a TLS service, or a PEM `file`.
 *
 * @example health.check('certificate', checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }));
 */
export function certificate(options: CertificateOptions): Check {
  const option = optionReader('checks.certificate', options, known, fix);
  const { host, file }: { readonly host?: string; readonly file?: string } = options;
  if (!text.accepts(host ?? file) || (host !== undefined && file !== undefined)) {
    const expects = 'the name of one host, or the path of one PEM file';
    throw optionInvalid('Option host or file of checks.certificate', host ?? file, expects, fix);
  }
  const port = option('port', optional(portRule)) ?? 443;
  const ca = option('ca', optional(pem));
  const target = { ...addressOf(host, option('servername', optional(text))), port, ca };
  const times = timesOf(option('warn', optional(aboveZero)), option('error', optional(aboveZero)));
  // The report is public: the name of the file helps, its folder does not.
  const name = file === undefined ? `${host}:${port}` : lastPart(file);
  const id = messageIds.certificate;
  const hint = file === undefined ? undefined : `The file is ${file}`;
  let expiry: number | undefined;
  const unreadable = [id, `Cannot read the certificate of ${name}`, hint] as const;
  const check = reporting(`certificate_${host ?? 'file'}`, 'shared', unreadable, async (signal) => {
    const presented = await (file === undefined ? presentedAt(target, signal) : readFrom(file, signal));
    expiry = expiryOf(presented);
    const [Message, text] = judge(presented, times, Date.now());
    return Message === undefined ? [] : [new Message(`The certificate of ${name} ${text}`, { id, hint })];
  });
  return withFacts(check, { expiry: () => expiry });
}

function timesOf(warn: number | undefined, error: number | undefined): Thresholds {
  if (warn === undefined && error === undefined) return { warn: 21 * day, error: 7 * day };
  if (warn !== undefined && error !== undefined && warn < error)
    throw optionInvalid('Option warn of checks.certificate', warn, 'at least error', fix);
  return { warn, error };
}

/** A name is sent to the server, which chooses the certificate by it; an address is not. */
function addressOf(host = '', servername?: string): ConnectionOptions {
  const isName = runtime.getBuiltinModule?.('node:net').isIP(host) === 0;
  return { host, servername: servername ?? (isName ? host : undefined) };
}

/** The kind of the message, if there is one, and its text after "The certificate of … ". */
function judge(
  presented: Presented,
  { warn = 0, error = 0 }: Thresholds,
  now: number,
): readonly [Message: typeof ErrorMessage | typeof Warning | undefined, text: string] {
  const from = Math.max(...presented.validities.map((each) => each.from));
  const to = expiryOf(presented);
  if (from > now) return [ErrorMessage, `is not valid before ${dateOf(from)}`];
  if (to <= now) return [ErrorMessage, `expired ${long(now - to)} ago (${dateOf(to)})`];
  if (presented.distrust !== undefined) return [ErrorMessage, presented.distrust];
  const left = to - now;
  const Message = left <= error ? ErrorMessage : left <= warn ? Warning : undefined;
  return [Message, `expires in ${long(left)} (${dateOf(to)})`];
}

const expiryOf = ({ validities }: Presented) => Math.min(...validities.map(({ to }) => to));

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const long = (time: number) => (time < 2 * day ? span(time) : `${Math.floor(time / day)} days`);

interface Presented {
  /** When they are valid, in milliseconds since 1970. The first is the certificate of the host. */
  readonly validities: readonly { readonly from: number; readonly to: number }[];
  /** Why a client does not trust them, to follow "The certificate". */
  readonly distrust?: string;
}

async function readFrom(file: string, signal: AbortSignal): Promise<Presented> {
  const fs = runtime.getBuiltinModule?.('node:fs/promises');
  const crypto = runtime.getBuiltinModule?.('node:crypto');
  if (fs === undefined || crypto === undefined) throw notReady('this runtime has no file system');
  const pem = await fs.readFile(file, { encoding: 'utf8', signal });
  const blocks =
    pem.match(/-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----[^-]*-----END \1?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw notReady('the file contains no PEM certificate');
  try {
    return { validities: blocks.map((block) => validityOf(new crypto.X509Certificate(block))) };
  } catch {
    throw notReady('a certificate in the file is damaged');
  }
}

const validityOf = ({ validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>) => ({
  from: Date.parse(validFrom),
  to: Date.parse(validTo),
});

/** Milliseconds for a connection, if the run of the check has no limit. */
const maxTimeout = 30_000;

function presentedAt(target: ConnectionOptions, signal: AbortSignal): Promise<Presented> {
  const tls = runtime.getBuiltinModule?.('node:tls');
  if (tls === undefined) return Promise.reject(notReady('this runtime has no TLS'));
  return new Promise((resolve, reject) => {
    const timeout = Math.min(maxTimeout, timeToWait(signal));
    // The certificate is wanted in any case: whether it is trusted is judged after that.
    const socket = tls.connect({ ...target, timeout, rejectUnauthorized: false });
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
    socket.on('error', reject);
    socket.once('secureConnect', () => {
      const presented = presentedOn(socket);
      if (presented.validities.length > 0) resolve(presented);
      else reject(notReady('the server presented no certificate'));
      // Closed without a reset, which the server would report as an error; if it does not close its side, the timeout does.
      socket.resume();
      socket.end();
      socket.unref();
    });
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      reject(notReady('the server closed the connection'));
    });
  });
}

function presentedOn(socket: TLSSocket): Presented {
  const chain: DetailedPeerCertificate[] = [];
  // The issuer of the last is itself.
  for (
    let each: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
    each?.valid_to !== undefined && !chain.includes(each);
    each = each.issuerCertificate
  )
    chain.push(each);
  const validities = chain.map((each) => validityOf({ validFrom: each.valid_from, validTo: each.valid_to }));
  // Servers may send expired certificates that clients do not need.
  if (socket.authorized)
    return { validities: validities.filter(({ to }, at) => at === 0 || to > Date.now()) };
  // Node has its code here, although the types do not say so.
  const code = String(socket.authorizationError);
  const distrust = code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? 'is for other host names' : 'is not trusted';
  return { validities, distrust: `${distrust} (${code})` };
}
