import type { X509Certificate } from 'node:crypto';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { type Check, type CheckContext, withFacts } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../core/heartbeat/messages.js';
import { deadlineOf } from '../core/heartbeat/run.js';
import { type Duration, integer, milliseconds, text } from '../core/options/rules.js';
import { optionInvalid } from '../core/options/errors.js';
import { requireKnownOptions } from '../core/options/read-options.js';
import { host as runtime } from '../core/runtime.js';
import { lastPart } from '../core/scrub/printable.js';
import { span } from '../core/time.js';
import { named, NotReady } from './client.js';
import { waitingShare } from './flight.js';
import { reasonOf } from './reasons.js';

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
  /** The name to ask for, if it is not `host`. */
  readonly servername?: string | undefined;
  /** Certificates to trust instead of those of Node. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
}

interface CertificateOfFile extends CertificateTimes {
  /** A PEM file, read with each run: of a chain, the certificate that expires first counts. */
  readonly file: string;
}

/** Options of `checks.certificate`. */
export type CertificateOptions = CertificateOfHost | CertificateOfFile;

const known = ['host', 'port', 'servername', 'ca', 'file', 'warn', 'error'];

const portRule = integer(1, 65_535);

/**
 * A check of a certificate: `health.E044`, an Error if it is not valid, expires within `error` or cannot be read, a Warning
 * if it expires within `warn`. Pass the `host` of a TLS service, or a PEM `file`.
 *
 * @example health.check('certificate', checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }));
 */
export function certificate(options: CertificateOptions): Check {
  requireKnownOptions(options, known, 'checks.certificate');
  const given: Partial<CertificateOfHost & CertificateOfFile> = options;
  const { host, file, port, servername, ca } = given;
  const source = host ?? file;
  require(text.accepts(source) &&
    (host === undefined ||
      file === undefined), 'host or file', source, 'the name of one host, or the path of one PEM file');
  require(port === undefined || portRule.accepts(port), 'port', port, portRule.expects);
  require(servername === undefined || text.accepts(servername), 'servername', servername, text.expects);
  require(ca === undefined || [ca].flat().every(isPem), 'ca', typeof ca, 'a PEM text or a list of them');
  const times = timesOf(given);
  let expiry: number | undefined;
  const check: Check = named(
    `certificate_${host ?? 'file'}`,
    certificateValid(given, times, (read) => (expiry = read)),
  );
  return withFacts(check, { scope: 'shared', expiry: () => expiry });
}

const isPem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;

const day = 86_400_000;

/** How long before the expiry a message is due, in milliseconds; 0 for never. */
interface Times {
  readonly warn: number;
  readonly error: number;
}

function timesOf({ warn, error }: CertificateTimes): Times {
  if (warn === undefined && error === undefined) return { warn: 21 * day, error: 7 * day };
  const read = (option: string, given: unknown) => {
    if (given === undefined) return 0;
    const time = milliseconds(given);
    const isTime = typeof time === 'number' && time > 0 && time < Infinity;
    require(isTime, option, given, "milliseconds above 0, or a text such as '21d'");
    return Number(time);
  };
  const times = { warn: read('warn', warn), error: read('error', error) };
  require(warn === undefined || times.warn >= times.error, 'warn', warn, 'at least error');
  return times;
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (isFine) return;
  const fix = "Write checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }).";
  throw optionInvalid(`Option ${option} of checks.certificate`, given, expects, fix);
}

/** `onRead` gets the expiry of the certificate. */
function certificateValid(
  { file, host = '', port = 443, servername, ca }: Partial<CertificateOfHost & CertificateOfFile>,
  times: Times,
  onRead: (expiry: number) => void,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  // The report is public: the name of the file helps, its folder does not.
  const name = file === undefined ? `${host}:${port}` : lastPart(file);
  const options = { id: messageIds.certificate, ...(file !== undefined && { hint: `The file is ${file}` }) };
  const target = file === undefined ? targetOf(host, port, servername, ca) : {};
  return async ({ signal }) => {
    try {
      const presented = await (file === undefined ? presentedAt(target, signal) : readFrom(file, signal));
      onRead(expiryOf(presented));
      const [level, text] = judge(presented, times, Date.now());
      if (level === 'ok') return [];
      const Message = level === 'warn' ? Warning : ErrorMessage;
      return [new Message(`The certificate of ${name} ${text}`, options)];
    } catch (thrown) {
      const text = `Cannot read the certificate of ${name}: ${reasonOf(thrown).text}`;
      return [new ErrorMessage(text, options)];
    }
  };
}

function targetOf(
  host: string,
  port: number,
  servername: string | undefined,
  ca: CertificateOfHost['ca'],
): ConnectionOptions {
  const isName = runtime.getBuiltinModule?.('node:net').isIP(host) === 0;
  const sent = servername ?? (isName ? host : undefined);
  const trusted = ca === undefined ? undefined : [ca].flat();
  return {
    host,
    port,
    ...(sent !== undefined && { servername: sent }),
    ...(trusted && { ca: trusted.map((each) => (typeof each === 'string' ? each : Buffer.from(each))) }),
  };
}

/** The text follows "The certificate of … ". */
function judge(
  presented: Presented,
  { warn, error }: Times,
  now: number,
): readonly [level: 'ok' | 'warn' | 'error', text: string] {
  const from = Math.max(...presented.validities.map((each) => each.from));
  const to = expiryOf(presented);
  if (from > now) return ['error', `is not valid before ${dateOf(from)}`];
  if (to <= now) return ['error', `expired ${long(now - to)} ago (${dateOf(to)})`];
  if (presented.distrust !== undefined) return ['error', presented.distrust];
  const left = to - now;
  const level = left <= error ? 'error' : left <= warn ? 'warn' : 'ok';
  return [level, `expires in ${long(left)} (${dateOf(to)})`];
}

const expiryOf = ({ validities }: Presented) => Math.min(...validities.map(({ to }) => to));

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const long = (time: number) => (time < 2 * day ? span(time) : `${Math.floor(time / day)} days`);

/** When a certificate is valid, in milliseconds since 1970. */
interface Validity {
  readonly from: number;
  readonly to: number;
}

/** Certificates as they were found. */
interface Presented {
  /** One at least; that of the host comes first. */
  readonly validities: readonly Validity[];
  /** Why a client does not trust them, to follow "The certificate". */
  readonly distrust?: string | undefined;
}

/** The certificates of a PEM file. */
async function readFrom(file: string, signal: AbortSignal): Promise<Presented> {
  const fs = runtime.getBuiltinModule?.('node:fs/promises');
  const crypto = runtime.getBuiltinModule?.('node:crypto');
  if (fs === undefined || crypto === undefined) throw new NotReady('this runtime has no file system');
  const pem = await fs.readFile(file, { encoding: 'utf8', signal });
  const blocks =
    pem.match(/-----BEGIN ([A-Z0-9]+ )?CERTIFICATE-----[^-]*-----END \1?CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new NotReady('the file contains no PEM certificate');
  try {
    return { validities: blocks.map((block) => validityOf(new crypto.X509Certificate(block))) };
  } catch {
    throw new NotReady('a certificate in the file is damaged');
  }
}

const validityOf = ({ validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>): Validity => ({
  from: Date.parse(validFrom),
  to: Date.parse(validTo),
});

/** Milliseconds for a connection, if the run of the check has no limit. */
const maxTimeout = 30_000;

/** The certificates that a TLS service presents. */
function presentedAt(target: ConnectionOptions, signal: AbortSignal): Promise<Presented> {
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
