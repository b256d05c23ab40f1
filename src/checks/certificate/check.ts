import { type Check, type CheckContext, withFacts } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { type Duration, integer, milliseconds, text } from '../../core/options/rules.js';
import { optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-options.js';
import { host as runtime } from '../../core/runtime.js';
import { lastPart } from '../../core/scrub/printable.js';
import { span } from '../../core/time.js';
import { hasMethods, named } from '../client.js';
import { reasonOf } from '../reasons.js';
import { type Presented, presentedAt, readFrom, servedBy, type TlsServer } from './read.js';

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

interface CertificateOfServer extends CertificateTimes {
  /** A server of `node:tls`, `node:https` or `node:http2` in this process. */
  readonly server: TlsServer;
  /** The name to ask for, if the server has several certificates. */
  readonly servername?: string | undefined;
}

/** Options of `checks.certificate`. */
export type CertificateOptions = CertificateOfHost | CertificateOfFile | CertificateOfServer;

/** The options, whichever they are. */
type EveryOption = Partial<CertificateOfHost & CertificateOfFile & CertificateOfServer>;

const known = ['host', 'port', 'servername', 'ca', 'file', 'server', 'warn', 'error'];

const portRule = integer(1, 65_535);

/**
 * A check of a certificate: `health.E044`, an Error if it is not valid, expires within `error` or cannot be read, a Warning
 * if it expires within `warn`. Pass the `host` of a TLS service, a PEM `file`, or a TLS `server` of this process.
 *
 * @example health.check('certificate', checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }));
 */
export function certificate(options: CertificateOptions): Check {
  requireKnownOptions(options, known, 'checks.certificate');
  const { host, file, server, port, servername, ca, warn, error }: EveryOption = options;
  const sources = [host, file, server].filter((each) => each !== undefined);
  const [source] = sources;
  const isSource =
    server === undefined ? text.accepts(source) : hasMethods(server, 'address', 'setSecureContext');
  require(sources.length === 1 &&
    isSource, 'host, file or server', source, 'one host name, one PEM file or one TLS server');
  require(port === undefined || portRule.accepts(port), 'port', port, portRule.expects);
  require(servername === undefined || text.accepts(servername), 'servername', servername, text.expects);
  require(ca === undefined || [ca].flat().every(isPem), 'ca', typeof ca, 'a PEM text or a list of them');
  const times =
    warn === undefined && error === undefined
      ? { warn: 21 * day, error: 7 * day }
      : { warn: timeOf('warn', warn), error: timeOf('error', error) };
  require(!(Number(times.warn) < Number(times.error)), 'warn', warn, 'at least error');
  const name = `certificate_${host ?? (file === undefined ? 'server' : 'file')}`;
  let expiry: number | undefined;
  const check: Check = named(
    name,
    certificateValid(options, times, (read) => (expiry = read)),
  );
  return withFacts(check, { scope: 'shared', expiry: () => expiry });
}

const day = 86_400_000;

const isPem = (value: unknown) => typeof value === 'string' || value instanceof Uint8Array;

/** The milliseconds of a number or of a text. */
function timeOf(option: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const time = milliseconds(given);
  const isTime = typeof time === 'number' && time > 0 && time < Infinity;
  require(isTime, option, given, "milliseconds above 0, or a text such as '21d'");
  return Number(time);
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (isFine) return;
  const fix = "Write checks.certificate({ host: 'example.com', warn: '21d', error: '7d' }).";
  throw optionInvalid(`Option ${option} of checks.certificate`, given, expects, fix);
}

/** How long before the expiry a message is due, in milliseconds. */
interface Times {
  readonly warn?: number | undefined;
  readonly error?: number | undefined;
}

/** The check of `checks.certificate`; `onRead` gets the expiry of the certificate. */
function certificateValid(
  options: CertificateOptions,
  times: Times,
  onRead: (expiry: number) => void,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const { name, hint, read } = sourceOf(options);
  return async ({ signal }) => {
    try {
      const presented = await read(signal);
      onRead(expiryOf(presented));
      return judge(name, presented, times, Date.now(), hint);
    } catch (thrown) {
      const text = `Cannot read the certificate of ${name}: ${reasonOf(thrown).text}`;
      return [new ErrorMessage(text, { id: messageIds.certificate, ...hint })];
    }
  };
}

type Hint = { readonly hint?: string };

/** The server that sends the certificate, and its name in the report. */
function sourceOf({ host = '', port = 443, servername, ca, file, server }: EveryOption): {
  readonly name: string;
  readonly hint: Hint;
  readonly read: (signal: AbortSignal) => Promise<Presented>;
} {
  // The report is public: the name of the file helps, its folder does not.
  if (file !== undefined)
    return {
      name: lastPart(file),
      hint: { hint: `The file is ${file}` },
      read: (signal) => readFrom(file, signal),
    };
  if (server !== undefined)
    return { name: 'this server', hint: {}, read: (signal) => servedBy(server, servername, signal) };
  const isName = runtime.getBuiltinModule?.('node:net').isIP(host) === 0;
  const sent = servername ?? (isName ? host : undefined);
  const target = {
    host,
    port,
    ...(sent !== undefined && { servername: sent }),
    ...(ca !== undefined && {
      ca: [ca].flat().map((each) => (typeof each === 'string' ? each : Buffer.from(each))),
    }),
  };
  return { name: `${host}:${port}`, hint: {}, read: (signal) => presentedAt(target, signal) };
}

/** The messages about certificates at a time. */
function judge(
  name: string,
  presented: Presented,
  { warn = 0, error = 0 }: Times,
  now: number,
  hint: Hint = {},
): readonly CheckMessage[] {
  const failed = (text: string) => [
    new ErrorMessage(`The certificate of ${name} ${text}`, { id: messageIds.certificate, ...hint }),
  ];
  const from = Math.max(...presented.validities.map((each) => each.from));
  const to = expiryOf(presented);
  if (from > now) return failed(`is not valid before ${dateOf(from)}`);
  if (to <= now) return failed(`expired ${long(now - to)} ago (${dateOf(to)})`);
  if (presented.distrust !== undefined) return failed(presented.distrust);
  const left = to - now;
  const text = `expires in ${long(left)} (${dateOf(to)})`;
  if (left <= error) return failed(text);
  return left <= warn
    ? [new Warning(`The certificate of ${name} ${text}`, { id: messageIds.certificate, ...hint })]
    : [];
}

const expiryOf = ({ validities }: Presented) => Math.min(...validities.map(({ to }) => to));

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const long = (time: number) => (time < 2 * day ? span(time) : `${Math.floor(time / day)} days`);
