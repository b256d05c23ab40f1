import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { milliseconds } from '../../core/options/duration.js';
import { optionInvalid } from '../../core/options/errors.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { integer, text } from '../../core/options/rules.js';
import { hasMethods } from '../client.js';
import { loading } from '../loading.js';
import type { CertificateOptions, EveryOption } from './options.js';

export type { CertificateOptions };

const known = ['host', 'port', 'servername', 'ca', 'file', 'server', 'warn', 'error'];
const portRule = integer(1, 65_535);

/**
 * A check of a certificate: Error `health.E044` if it is not valid or expires within `error`, Warning `health.W014` if it expires within `warn`, Error
 * `health.E045` if it cannot be read. Pass the `host` of a TLS service, a PEM `file`, or a TLS `server` of this process.
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
  const check: Check = loading(
    name,
    () => import('./index.js'),
    ({ certificateValid }) => certificateValid(options, times, check),
  );
  return withScope(check, 'shared');
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
