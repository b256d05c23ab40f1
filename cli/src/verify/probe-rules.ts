import { parseObject } from '../json.js';
import type { Exchange } from '../http/exchange.js';
import { pathRules } from './endpoint-rules.js';
import { type ProbeEvidence, probes } from './evidence.js';
import { type Expectations, quoted, type Rule, type Verdict } from './rule.js';

const reference = 'probes.md';
const demanded = ['status', 'secrets'];

/**
 * The rules of the three probes: served as the endpoints are, and a body of their own. The specification has no
 * probes; callers that select them want status and body to hold.
 */
export function probeRules(expected: Expectations): readonly Rule<ProbeEvidence>[] {
  return probes.flatMap((probe) => [
    ...pathRules(probe, [200, 503], expected).map((rule): Rule<ProbeEvidence> => ({
      name: rule.name,
      demand: demanded.some((kind) => rule.name === `${probe}.${kind}`) ? 'must' : 'should',
      reference: rule.reference === 'security.md' ? rule.reference : reference,
      judge: (evidence) => rule.judge(evidence[probe]),
    })),
    {
      name: `${probe}.body`,
      demand: 'must',
      reference,
      judge: (evidence) => bodyVerdict(evidence[probe].gets[0]),
    },
  ]);
}

function bodyVerdict(get: Exchange): Verdict {
  const body = parseObject(get);
  if (body === undefined) return { skipped: 'the body is not a JSON object' };
  const { status, reason, ...more } = body;
  const word = get.status === 200 ? 'pass' : 'fail';
  if (status !== word) return `status is ${quoted(status)} instead of ${quoted(word)} with ${get.status}`;
  if (word === 'fail' && (typeof reason !== 'string' || reason === '')) {
    return `reason is ${quoted(reason)} instead of a text`;
  }
  if (word === 'pass' && reason !== undefined) return 'a probe that passes has no reason';
  const [other] = Object.keys(more);
  return other === undefined ? undefined : `the body has ${quoted(other)}, which is not a known field`;
}
