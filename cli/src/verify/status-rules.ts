import type { Exchange } from '../http/exchange.js';
import { parseObject } from '../json.js';
import { judgeEach, repeated, shownStatus } from './answers.js';
import type { EndpointEvidence, EndpointName } from './evidence.js';
import { type Expectations, quoted, type Verdict } from './rule.js';

/** The allowed statuses of GET. */
export function statusCodes(endpoint: EndpointName, { failedStatusCode }: Expectations): readonly number[] {
  if (endpoint === 'version') return [200, 404];
  return endpoint === 'heartbeat' ? [200, failedStatusCode] : [200];
}

export function statusVerdict({ gets, gzip }: EndpointEvidence, codes: readonly number[]): Verdict {
  const asked = [...repeated(gets), { asked: 'with gzip', exchange: gzip }];
  return judgeEach(asked, (answer) => statusViolation(answer, codes));
}

function statusViolation(answer: Exchange, codes: readonly number[]): string | undefined {
  if (codes.includes(answer.status)) return undefined;
  const { location } = answer.headers;
  let hint = '';
  if (answer.status === 401 || answer.status === 403)
    hint = '; the endpoints need no credentials (contract.md#21-requests)';
  if (location !== undefined) hint = `; it redirects to ${location}`;
  return `${shownStatus(answer)} instead of ${codes.join(' or ')}${hint}`;
}

/** For a client that has an answer already. */
export function conditionalVerdict(
  { gets, conditional }: EndpointEvidence,
  codes: readonly number[],
): Verdict {
  if (gets[0].failure !== undefined) return { skipped: 'the endpoint did not answer' };
  if (codes.includes(conditional.status)) return undefined;
  // The same failure as without it.
  if (gets.some(({ status }) => status === conditional.status)) return undefined;
  return `GET with If-None-Match: ${shownStatus(conditional)} instead of ${codes.join(' or ')}`;
}

/** The specification leaves this open: a 404 should be as readable as the other responses. */
export function notFoundVerdict({ gets }: EndpointEvidence): Verdict {
  const answer = gets.find(({ status }) => status === 404);
  if (answer === undefined) return { skipped: 'there is a version.json' };
  const type = answer.headers['content-type'];
  if (type !== 'application/json') {
    return `the 404 has content-type ${quoted(type)} instead of "application/json"`;
  }
  return parseObject(answer) === undefined ? 'the body of the 404 is not a JSON object' : undefined;
}
