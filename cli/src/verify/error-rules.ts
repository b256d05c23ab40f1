import type { Exchange } from '../http/exchange.js';
import { usageInvalid } from '../../../src/command/errors.js';
import type { Io } from '../../../src/command/io.js';
import type { Asker } from './evidence.js';
import { secretIn, traceIn } from './leaks.js';
import { demanded, failed, type Rule, should, type Verdict } from './rule.js';

const path = '/__error__';
const page = 'error-endpoint.md';
const variable = 'HEALTH_ERROR_ENDPOINT_TOKEN';

/** The responses of `/__error__`. */
export interface ErrorEvidence {
  readonly asked: readonly (readonly [who: string, answer: Exchange])[];
  readonly thrown: Exchange;
}

export const errorRequestCount = 4;

/** The token, from the variable that the service has it in: other users of the machine see a command line. */
export function errorToken({ env }: Io): string {
  const token = env[variable] ?? '';
  if (token !== '') return token;
  throw usageInvalid(`--error-endpoint needs the token of the service in ${variable}`);
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

export async function gatherErrors(asker: Asker, token: string): Promise<ErrorEvidence> {
  return {
    asked: [
      ['without a token', await asker.ask('GET', path)],
      ['with a wrong token', await asker.ask('GET', path, bearer('0'.repeat(token.length)))],
      ['with the token in the query', await asker.ask('GET', `${path}?token=${encodeURIComponent(token)}`)],
    ],
    thrown: await asker.ask('GET', path, bearer(token)),
  };
}

/** The rules of the endpoint that throws on purpose. The specification has none; who asks for it wants it to hold. */
export const errorRules: readonly Rule<ErrorEvidence>[] = [
  { ...demanded('error.token', page), judge: ({ asked }) => tokenVerdict(asked) },
  { ...demanded('error.throws', page), judge: ({ thrown }) => throwsVerdict(thrown) },
  { ...demanded('error.secrets', 'security.md'), judge: (evidence) => leakVerdict(evidence, secretIn) },
  { ...should('error.traces', 'security.md'), judge: (evidence) => leakVerdict(evidence, traceIn) },
];

function tokenVerdict(asked: ErrorEvidence['asked']): Verdict {
  for (const [who, { status, failure }] of asked) {
    if (failure !== undefined) return failed(`GET ${who}: ${failure}`);
    if (status >= 500)
      return failed(`GET ${who} returns ${status}: anyone who knows the path can cause errors`);
  }
  return undefined;
}

function throwsVerdict({ status, failure }: Exchange): Verdict {
  if (failure !== undefined) return failed(`GET with the token: ${failure}`);
  return status >= 500 ? undefined : failed(`GET with the token returns ${status} instead of 500 or more`);
}

function leakVerdict({ asked, thrown }: ErrorEvidence, leak: typeof secretIn): Verdict {
  const bodies = [...asked.map(([, answer]) => answer), thrown].map(({ body }) => leak(body));
  const found = bodies.find((reason) => reason !== undefined);
  return found === undefined ? undefined : failed(found);
}
