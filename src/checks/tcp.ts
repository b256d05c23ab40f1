import { optionInvalid } from '../core/options/errors.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { integer } from '../core/options/rules.js';
import { type Check, withScope } from '../core/heartbeat/check.js';
import { named } from './client.js';
import { reasonOf } from './reasons.js';
import { connectTcp } from './flight.js';
import { judge, milliseconds, thresholdsIn, type TimeThresholds } from './thresholds.js';
import * as messageIds from '../core/heartbeat/message-ids.js';

const portRule = integer(1, 65_535);

/**
 * A check that a TCP port accepts connections: `health.E016` when it does not, or is slow.
 *
 * @example health.check('smtp', checks.tcp('mail', 25, { warn: 200 }));
 */
export function tcp(host: string, port: number, options: TimeThresholds = {}): Check {
  const fix = "Write checks.tcp('host', 25).";
  if (typeof host !== 'string' || host === '') {
    throw optionInvalid('The host passed to checks.tcp', host, 'a host name or an IP address', fix);
  }
  if (!portRule.accepts(port))
    throw optionInvalid('The port passed to checks.tcp', port, portRule.expects, fix);
  const thresholds = thresholdsIn('tcp', options, []);
  const check = named(`tcp_${host}:${port}`, async ({ signal }) => {
    const started = performance.now();
    try {
      await connectTcp(host, port, signal);
      const took = performance.now() - started;
      const text = (threshold: number) =>
        `Connecting to ${host}:${port} took ${milliseconds(took)}, above ${milliseconds(threshold)}`;
      return judge(took, thresholds, messageIds.tcp, text);
    } catch (thrown) {
      return [
        new ErrorMessage(`Cannot connect to ${host}:${port}: ${reasonOf(thrown).text}`, {
          id: messageIds.tcp,
        }),
      ];
    }
  });
  return withScope(check, 'shared');
}
