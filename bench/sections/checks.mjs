// Heartbeats with 1 to 1,000 checks, each with its timeout.
import { calibrate, compare, summarise } from '../measure.mjs';
import { table, two, whole } from '../report.ts';
import { own } from '../works/rows.mjs';
import { slopeOf } from './slope.ts';

const counts = [1, 10, 100, 1000];
const name = 'scale: checks';
const because =
  'the load keeps 32 heartbeats under way, and 32 times 1,000 results outlive the young generation of V8, which copies them: half of the CPU time is garbage collection then; one at a time it is 8 %, and 1.4 µs a check';

export async function checksSection(effort) {
  const calibration = await calibrate();
  const rows = counts.map((checks) => own('node', 'lean', '/__heartbeat__', { checks }));
  const [rounds] = await compare([{ rows }], effort);
  const figures = rows.map((row, index) => summarise(row, rounds[index]));
  const points = figures.map(({ cpu }, index) => ({ many: counts[index], cost: cpu }));
  const slope = slopeOf(name, 'a check', points, calibration, 1.2, because);
  const body = figures.map(({ cpu, rps }, index) => [whole(counts[index]), two(cpu), whole(rps)]);
  return {
    ...slope,
    name,
    text: `### heartbeats with 1 to 1,000 checks, node:http, \`summary: false, requestContext: false\`\n\n${table(['checks', 'CPU µs', 'requests/s'], body)}\n\n${slope.text}`,
  };
}
