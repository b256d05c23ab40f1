import { host, hostName } from '../core/runtime.js';
import { quote } from './scalar.js';

/** What every line of a process says of it. */
export interface EnvelopeOptions {
  /** The `Logger` field of every line: which service wrote it. Default `lifesign`. */
  readonly loggerName?: string | undefined;
  /** The `Hostname` field. Default: that of the machine. */
  readonly hostname?: string | undefined;
  /** The `Pid` field. Default: that of the process. */
  readonly pid?: number | undefined;
}

/** The fields of the mozlog 2.0 envelope that never change, as pieces of JSON. */
export function envelope(options: EnvelopeOptions): { readonly origin: string; readonly pid: string } {
  const hostname = options.hostname ?? hostName();
  return {
    origin: `"Logger":${quote(options.loggerName ?? 'lifesign')},"Hostname":${quote(hostname)},"EnvVersion":"2.0"`,
    pid: `"Pid":${options.pid ?? host.pid ?? 0}`,
  };
}

const severities: Readonly<Record<number, number>> = { 10: 7, 20: 6, 30: 4, 40: 3, 50: 2 };

/** The syslog severity of a level; 7, debug, for a level that is none of the five. */
export function severityOf(level: number): number {
  return severities[level] ?? 7;
}

/** Milliseconds as nanoseconds. These do not fit a JavaScript number: zeros are appended to the digits. */
export function nanoseconds(ms: number): string {
  if (Number.isSafeInteger(ms) && ms !== 0) return `${ms}000000`;
  // A fraction of a millisecond is good for microseconds and no more.
  const us = Math.round(ms * 1000);
  return us !== 0 && Math.abs(us) < 1e18 ? `${us}000` : '0';
}
