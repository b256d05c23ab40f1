import { isRecord } from '../json.js';
import { secretInText } from './leaks.js';
import { demanded, must, quoted, type RuleHead, should } from './rule.js';

type Json = Readonly<Record<string, unknown>>;

/** A rule that reads a log line by line: it judges a line, or all so far. */
export interface LogRule {
  readonly head: RuleHead;
  /** The problem of this `request.summary`; undefined for none. */
  line?(record: Json, fields: Json, text: string): string | undefined;
  /** The problem of all of them. */
  end?(): string | undefined;
}

const page = 'logging.md';

/** Rules for the meaning of lines; the schemas check their form. */
export function logRules(): readonly LogRule[] {
  return [
    once(),
    { head: should('logs.errno', page), line: (_, fields) => errnoViolation(fields) },
    { head: should('logs.severity', page), line: severityViolation },
    { head: should('logs.path', page), line: (_, fields) => pathViolation(fields) },
    { head: demanded('logs.secrets', 'security.md'), line: (_, fields) => secretViolation(fields) },
    rids(),
    timestamps(),
  ];
}

/** A handler that is attached twice writes each line twice, one after the other. */
const remembered = 4096;
/** In nanoseconds. */
const second = 1e9;

function once(): LogRule {
  const seen = new Map<string, number>();
  return {
    head: must('logs.once', '71-request-summary'),
    line({ Timestamp: time, Hostname: host, Pid: pid }, { rid, method, path }, text) {
      // Two handlers write at two times; a client that sends its id again does so later.
      const isNamed = typeof rid === 'string' && rid !== '' && typeof time === 'number';
      const key = isNamed ? JSON.stringify([host, pid, rid, method, path]) : text;
      const before = seen.get(key);
      const now = isNamed ? time : 0;
      if (before !== undefined && Math.abs(now - before) < second)
        return isNamed
          ? `is a second line of the request ${quoted(rid)}; there must be one`
          : 'appears twice; there must be one line per request';
      seen.set(key, now);
      const [oldest] = seen.keys();
      if (seen.size > remembered && oldest !== undefined) seen.delete(oldest);
      return undefined;
    },
  };
}

/** A server error must not look like a success, nor a success like an error. */
function errnoViolation({ errno, code, cut, msg }: Json): string | undefined {
  if (typeof code !== 'number' || typeof errno !== 'number') return undefined;
  if (code >= 500)
    return errno === code ? undefined : `errno is ${errno} for code ${code}; it must be ${code}`;
  const broken = cut === true || typeof msg === 'string' || code === 499;
  if (errno === 0 || (errno === 500 && broken)) return undefined;
  return `errno is ${errno} for code ${code}; it must be 0`;
}

const endpoint = /^(?:\/.*)?\/__(?:version|heartbeat|lbheartbeat)__\/?$/;

/** Requests of the endpoints are always info: their checks have lines of their own. */
function severityViolation(
  { Severity: severity }: Json,
  { code, errno, path, msg }: Json,
): string | undefined {
  if (typeof code !== 'number' || typeof severity !== 'number') return undefined;
  const failing = code >= 500 || (typeof errno === 'number' && errno >= 500);
  const known = typeof path === 'string' && endpoint.test(path);
  if (failing && severity > 4 && !known) return `Severity is ${severity} for code ${code}; it must be 3 or 4`;
  if (!failing && severity < 6 && typeof msg !== 'string') {
    return `Severity is ${severity} for code ${code}; it must be 6`;
  }
  return undefined;
}

function pathViolation({ path }: Json): string | undefined {
  if (typeof path !== 'string') return undefined;
  if (/\?[\w.[\]-]*=/.test(path))
    return `path is ${quoted(path.replace(/\?.*/, '?…'))}; it must not include the query`;
  return /^https?:\/\//.test(path) ? 'path is a full URL; it must be only the path' : undefined;
}

/** A rid is random by itself. */
function secretViolation(fields: Json): string | undefined {
  for (const [name, text] of Object.entries(fields)) {
    if (name === 'rid') continue;
    // A query in the path is a matter of its own rule.
    const kind =
      typeof text === 'string' && !(name === 'path' && text.includes('?')) ? secretInText(text) : undefined;
    if (kind !== undefined) return `${name} contains a secret (${kind})`;
  }
  return undefined;
}

function rids(): LogRule {
  let [lines, first, differs]: [number, unknown, boolean] = [0, undefined, false];
  return {
    head: should('logs.rid', page),
    line(_, { rid }) {
      if (lines === 0) first = rid;
      else differs ||= rid !== first;
      lines += 1;
      return undefined;
    },
    end: () => (lines > 1 && !differs ? `all ${lines} lines have the rid ${quoted(first)}` : undefined),
  };
}

/** Seconds, milliseconds and microseconds of our time, by their number of digits. */
const units: Readonly<Record<number, string>> = { 10: 'seconds', 13: 'milliseconds', 16: 'microseconds' };
/** Clocks of two machines differ, and lines of one process come from several threads. */
const [maxAhead, maxBack] = [5 * 60_000, second];
const maxProcesses = 1024;

function timestamps(): LogRule {
  const last = new Map<string, number>();
  let [lines, first, moves]: [number, unknown, boolean] = [0, undefined, false];
  return {
    head: should('logs.timestamp', page),
    line({ Timestamp: time, Hostname: host, Pid: pid }) {
      if (lines === 0) first = time;
      else moves ||= time !== first;
      lines += 1;
      if (typeof time !== 'number') return undefined;
      const digits = String(Math.trunc(Math.abs(time))).length;
      if (time < 1e18 || time >= 1e19) {
        return `Timestamp is ${time}; it must be nanoseconds since 1970${units[digits] === undefined ? '' : `, not ${units[digits]}`}`;
      }
      if (time > (Date.now() + maxAhead) * 1e6) return `Timestamp is ${time}, which is in the future`;
      const process = `${String(host).slice(0, 200)} ${String(pid)}`;
      const before = last.get(process) ?? 0;
      if (last.size < maxProcesses) last.set(process, time);
      return time < before - maxBack ? 'Timestamp goes back by more than a second' : undefined;
    },
    // A few requests may come in one moment.
    end: () => (lines >= 5 && !moves ? `all ${lines} lines have the Timestamp ${quoted(first)}` : undefined),
  };
}

export const fieldsOf = (record: Json): Json => (isRecord(record['Fields']) ? record['Fields'] : {});
