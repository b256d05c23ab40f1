import { certificateExpiries } from '../../core/heartbeat/certificates.js';
import type { Check, CheckContext } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage, Warning } from '../../core/heartbeat/messages.js';
import { host as runtime } from '../../core/runtime.js';
import { lastPart } from '../../core/scrub/folders.js';
import { reasonOf } from '../reasons.js';
import { span } from '../../core/span.js';
import type { CertificateOptions, EveryOption } from './options.js';
import { presentedAt, type Presented, readFrom, servedBy } from './read.js';

/** How long before the expiry a message is due, in milliseconds. */
export interface Times {
  readonly warn?: number | undefined;
  readonly error?: number | undefined;
}

const ids = messageIds.certificate;
const day = 86_400_000;

/** The check of `checks.certificate`; the metrics show the expiry of the certificate of `check`. */
export function certificateValid(
  options: CertificateOptions,
  times: Times,
  check: Check,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const { name, hint, read } = sourceOf(options);
  return async ({ signal }) => {
    try {
      const presented = await read(signal);
      certificateExpiries.set(check, expiryOf(presented));
      return judge(name, presented, times, Date.now(), hint);
    } catch (thrown) {
      const text = `Cannot read the certificate of ${name}: ${reasonOf(thrown).text}`;
      return [new ErrorMessage(text, { id: ids.unknown, ...hint })];
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
export function judge(
  name: string,
  presented: Presented,
  { warn = 0, error = 0 }: Times,
  now: number,
  hint: Hint = {},
): readonly CheckMessage[] {
  const failed = (text: string) => [
    new ErrorMessage(`The certificate of ${name} ${text}`, { id: ids.error, ...hint }),
  ];
  const from = Math.max(...presented.validities.map((each) => each.from));
  const to = expiryOf(presented);
  if (from > now) return failed(`is not valid before ${dateOf(from)}`);
  if (to <= now) return failed(`expired ${long(now - to)} ago (${dateOf(to)})`);
  if (presented.distrust !== undefined) return failed(presented.distrust);
  const left = to - now;
  const text = `expires in ${long(left)} (${dateOf(to)})`;
  if (left <= error) return failed(text);
  return left <= warn ? [new Warning(`The certificate of ${name} ${text}`, { id: ids.warn, ...hint })] : [];
}

const expiryOf = ({ validities }: Presented) => Math.min(...validities.map(({ to }) => to));
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const long = (time: number) => (time < 2 * day ? span(time) : `${Math.floor(time / day)} days`);
