import type { Exchange } from '../http/exchange.js';
import { parseObject } from '../json.js';
import { judgeEach, shownStatus } from './answers.js';
import type { EndpointEvidence, EndpointName } from './evidence.js';
import { type Expectations, failed, must, quoted, type Rule, should, type Verdict } from './rule.js';

/** The rules on status codes, also for clients that have an answer already. */
export function statusRules(endpoint: string, codes: readonly number[]): readonly Rule<EndpointEvidence>[] {
  return [
    {
      ...must(`${endpoint}.status`, '2-endpoints'),
      judge: (evidence) => statusVerdict(evidence, codes),
    },
    {
      ...must(`${endpoint}.conditional`, '2-endpoints'),
      judge: (evidence) => conditionalVerdict(evidence, codes),
    },
    ...(endpoint === 'version'
      ? [
          {
            ...should('version.not-found'),
            judge: ({ gets }: EndpointEvidence) => notFoundVerdict(gets),
          },
        ]
      : []),
  ];
}

/** The allowed statuses of GET. */
export function statusCodes(endpoint: EndpointName, { failedStatusCode }: Expectations): readonly number[] {
  if (endpoint === 'version') return [200, 404];
  return endpoint === 'heartbeat' ? [200, failedStatusCode] : [200];
}

function statusVerdict(
  { gets: [first, second, third], gzip }: EndpointEvidence,
  codes: readonly number[],
): Verdict {
  const asked = [
    { asked: '', exchange: first },
    { asked: 'the second time', exchange: second },
    { asked: 'the third time', exchange: third },
    { asked: 'with gzip', exchange: gzip },
  ];
  return judgeEach(asked, (answer) => statusViolation(answer, codes));
}

function statusViolation(answer: Exchange, codes: readonly number[]): string | undefined {
  if (codes.includes(answer.status)) return undefined;
  const { location } = answer.headers;
  let hint = '';
  if (answer.status === 401 || answer.status === 403)
    hint = '; the endpoints need no credentials (specification.md#21-requests)';
  if (location !== undefined) hint = `; it redirects to ${location}`;
  return `${shownStatus(answer)} instead of ${codes.join(' or ')}${hint}`;
}

function conditionalVerdict({ gets, conditional }: EndpointEvidence, codes: readonly number[]): Verdict {
  if (gets[0].failure !== undefined) return { skipped: 'the endpoint did not answer' };
  if (codes.includes(conditional.status)) return undefined;
  // The same failure as without it.
  if (gets.some(({ status }) => status === conditional.status)) return undefined;
  return failed(`GET with If-None-Match: ${shownStatus(conditional)} instead of ${codes.join(' or ')}`);
}

/** The specification leaves this open: a 404 should be as readable as the other responses. */
function notFoundVerdict(gets: readonly Exchange[]): Verdict {
  const answer = gets.find(({ status }) => status === 404);
  if (answer === undefined) return { skipped: 'there is a version.json' };
  const type = answer.headers['content-type'];
  if (type !== 'application/json') {
    return failed(`the 404 has content-type ${quoted(type)} instead of "application/json"`);
  }
  return parseObject(answer) === undefined ? failed('the body of the 404 is not a JSON object') : undefined;
}
