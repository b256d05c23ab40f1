import { host, hostName } from '../../core/runtime.js';
import { quote, scalarText } from './scalar.js';

/** The fields that every line of a process has. */
export interface EnvelopeOptions {
  /** The `Logger` field of every line: which service wrote it. Default `lifesign`. */
  readonly loggerName?: string | undefined;
  /** The `Hostname` field. Default: the host name of the machine. */
  readonly hostname?: string | undefined;
  /** The `Pid` field. Default: the process id. */
  readonly pid?: number | undefined;
}

/** The fields of the mozlog 2.0 envelope that never change, as pieces of JSON. */
export function envelope(options: EnvelopeOptions): { readonly origin: string; readonly pid: string } {
  const { loggerName = 'lifesign', hostname = hostName(), pid } = options;
  return {
    origin: `"Logger":${quote(scalarText(loggerName))},"Hostname":${quote(scalarText(hostname))},"EnvVersion":"2.0"`,
    pid: `"Pid":${isPid(pid) ? pid : (host.pid ?? 0)}`,
  };
}

/** Callers without types may give anything. */
function isPid(pid: unknown): pid is number {
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid >= 0;
}

const severities: ReadonlyMap<number, number> = new Map([
  [10, 7],
  [20, 6],
  [30, 4],
  [40, 3],
  [50, 2],
]);

/** The syslog severity of a level; 7, debug, for a level that is none of the five. */
export function severityOf(level: number): number {
  return severities.get(level) ?? 7;
}

/** Milliseconds as nanoseconds. These do not fit a JavaScript number: zeros are appended to the digits. */
export function nanoseconds(ms: number): string {
  if (Number.isSafeInteger(ms) && ms !== 0) return `${ms}000000`;
  // A fraction of a millisecond is good for microseconds and no more.
  const us = typeof ms === 'number' ? Math.round(ms * 1000) : 0;
  return us !== 0 && Math.abs(us) < 1e18 ? `${us}000` : '0';
}
