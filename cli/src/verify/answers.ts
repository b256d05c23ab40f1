import type { Exchange } from '../http/exchange.js';
import type { EndpointEvidence } from './evidence.js';
import { failed, type Verdict } from './rule.js';

/** An answer to a GET of the endpoint, and how it was asked for: empty for the plain one. */
export interface Answer {
  readonly asked: string;
  readonly exchange: Exchange;
}

/** All responses to GET, however requested: a service that flaps must not pass because of its first response. */
export function answersOf({ gets, gzip, unpacked, conditional, query }: EndpointEvidence): readonly Answer[] {
  const [first, second, third] = gets;
  // A wrong encoding is reported by its own rule.
  const readable =
    'body' in unpacked ? [{ asked: 'with gzip', exchange: { ...gzip, body: unpacked.body } }] : [];
  const all: readonly Answer[] = [
    { asked: '', exchange: first },
    { asked: 'the second time', exchange: second },
    { asked: 'the third time', exchange: third },
    ...readable,
    // Without a body; a rule of its own judges that.
    ...(conditional.status === 304 ? [] : [{ asked: 'with If-None-Match', exchange: conditional }]),
    // A service may have no answer for a query: that is a rule of its own too.
    ...(isLike(query, gets) ? [{ asked: 'with a query string', exchange: query }] : []),
  ];
  return all.filter(({ exchange }) => exchange.failure === undefined);
}

function isLike(answer: Exchange, gets: readonly Exchange[]): boolean {
  return gets.some(({ status }) => status === answer.status);
}

/** The first objection to any of the answers. */
export function judgeEach<T extends Answer>(
  answers: readonly T[],
  judge: (exchange: Exchange, answer: T) => string | undefined,
): Verdict {
  for (const answer of answers) {
    const { asked, exchange } = answer;
    const wrong = judge(exchange, answer);
    if (wrong !== undefined) return failed(asked === '' ? wrong : `GET ${asked}: ${wrong}`);
  }
  return undefined;
}

export function shownStatus({ status, failure }: Exchange): string {
  return failure ?? String(status);
}
