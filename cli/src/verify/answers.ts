import type { Exchange } from '../http/exchange.js';
import type { EndpointEvidence } from './evidence.js';

/** An answer to a GET of the endpoint, and how it was requested: empty for the plain one. */
export interface Answer {
  readonly asked: string;
  readonly exchange: Exchange;
}

/** All responses to GET, however requested: a service that flaps must not pass because of its first response. */
export function answersOf({ gets, gzip, unpacked, conditional, query, clients }: EndpointEvidence): readonly Answer[] {
  // A wrong encoding is reported by its own rule.
  const readable =
    'body' in unpacked ? [{ asked: 'with gzip', exchange: { ...gzip, body: unpacked.body } }] : [];
  const all: readonly Answer[] = [
    ...repeated(gets),
    ...readable,
    // Without a body; a rule of its own judges that.
    ...(conditional.status === 304 ? [] : [{ asked: 'with If-None-Match', exchange: conditional }]),
    // A service may have no answer for a query: that is a rule of its own too.
    ...(gets.some(({ status }) => status === query.status)
      ? [{ asked: 'with a query string', exchange: query }]
      : []),
    // Another status is a matter of their own rule.
    ...[...clients]
      .filter(([, { status }]) => gets.some((get) => get.status === status))
      .map(([name, exchange]) => ({ asked: `with ${name}`, exchange })),
  ];
  return all.filter(({ exchange }) => exchange.failure === undefined);
}

const times = ['', 'the second time', 'the third time'];

/** The answers to the same GET. */
export const repeated = (gets: readonly Exchange[]): readonly Answer[] =>
  gets.map((exchange, index) => ({ asked: times[index] ?? '', exchange }));

/** The first objection to any of the answers. */
export function judgeEach<T extends Answer>(
  answers: readonly T[],
  judge: (exchange: Exchange, answer: T) => string | undefined,
): string | undefined {
  for (const answer of answers) {
    const { asked, exchange } = answer;
    const wrong = judge(exchange, answer);
    if (wrong !== undefined) return asked === '' ? wrong : `GET ${asked}: ${wrong}`;
  }
  return undefined;
}

export function shownStatus({ status, failure }: Exchange): string {
  return failure ?? String(status);
}
