import type { Check } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { integer, requireValue, text } from '../core/options/rules.js';
import { host as runtime } from '../core/runtime.js';
import { Failure, reporting } from './reasons.js';
import { orAborted } from './round-trip.js';
import { judgeTime, thresholdsIn, type TimeThresholds } from './thresholds.js';

export const portRule = integer(1, 65_535);

/**
 * A check that a TCP port accepts connections: `health.E016` when it does not, or is slow.
 *
 * @example health.check('smtp', checks.tcp('mail', 25, { warn: 200 }));
 */
export function tcp(host: string, port: number, options: TimeThresholds = {}): Check {
  const fix = "Write checks.tcp('host', 25).";
  requireValue(host, { ...text, expects: 'a host name or an IP address' }, 'host of checks.tcp', fix);
  requireValue(port, portRule, 'port of checks.tcp', fix);
  const thresholds = thresholdsIn('tcp', options, []);
  const address = `${host}:${port}`;
  return reporting(
    `tcp_${address}`,
    'shared',
    [messageIds.tcp, `Cannot connect to ${address}`],
    async (signal) => {
      const started = performance.now();
      await connectTcp(host, port, signal);
      const took = performance.now() - started;
      return judgeTime(took, thresholds, messageIds.tcp, `Connecting to ${address} took`);
    },
  );
}

/** Connects and closes; the socket is closed before the promise resolves. */
export async function connectTcp(host: string, port: number, signal: AbortSignal): Promise<void> {
  const net = runtime.getBuiltinModule?.('node:net');
  if (net === undefined) throw new Failure('This runtime has no sockets');
  const socket = net.connect({ host, port });
  const connected = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  try {
    await orAborted(connected, signal);
  } finally {
    socket.destroy();
  }
}
