import { property, textOf } from '../client.js';
import { type Fault, type Reason, reasonOf } from '../reasons.js';

// Our own sentences, as for databases: brokers name users, queues and hosts in theirs.
const phrases: readonly (readonly [Fault, string, RegExp])[] = [
  [
    'misconfigured',
    'the server rejected the user or password',
    /ACCESS.REFUSED|authorization.violation|authentication (failed|timeout|expired)|not authori[sz]ed|SASL|KafkaJSSASL|PLT_KFK_AUTHENTICATION/i,
  ],
  ['misconfigured', 'the virtual host does not exist', /vhost .{0,200} not found|NOT.ALLOWED/i],
  [
    'misconfigured',
    'the user lacks permission',
    /permissions? violation|AccessDenied|TOPIC_AUTHORIZATION_FAILED|GROUP_AUTHORIZATION_FAILED/i,
  ],
  [
    'misconfigured',
    'client and server share no protocol version',
    /unacceptable protocol version|UNSUPPORTED_VERSION/i,
  ],
  ['broken', 'the server stopped sending heartbeats', /heartbeat timeout|stale.connection/i],
  [
    'broken',
    'requests are not answered in time',
    /request (.{0,200} )?timed out|KafkaJSRequestTimeout|REQUEST_TIMED_OUT/i,
  ],
  ['broken', 'the server shut down', /server.shutting.down|CONNECTION.FORCED/i],
  ['unreachable', 'the server is not available', /server unavailable|no servers|CONNECTION_REFUSED/i],
  [
    'broken',
    'the server closed the connection',
    /unexpected close|connection (closed|error)|socket (closed|disconnected)|disconnected prematurely|channel ended/i,
  ],
];

/** Why a client of a broker failed, for a report that is public. */
export function brokerReason(thrown: unknown): Reason {
  const chain = causesOf(thrown);
  for (const error of chain) {
    // The code of the system is clearer than the client's wording.
    if (/^E[A-Z]{3,}$/.test(String(property(error, 'code')))) return reasonOf(error);
  }
  for (const error of chain) {
    const texts = ['message', 'code', 'name', 'type', 'condition'].map(
      (name) => textOf(property(error, name)) ?? '',
    );
    const found = phrases.find(([, , phrase]) => texts.some((each) => phrase.test(each.slice(0, 2000))));
    if (found !== undefined) return { fault: found[0], text: found[1] };
  }
  return reasonOf(thrown);
}

/** An error after those that it wraps, the innermost first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const chain = [thrown];
  for (let error = thrown; chain.length < 6; chain.unshift(error)) {
    const errors = property(error, 'errors');
    error = property(error, 'cause') ?? (Array.isArray(errors) ? errors[0] : undefined);
    if (error === undefined) break;
  }
  return chain;
}
