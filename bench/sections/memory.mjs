// Memory after many requests: --only memory --requests 10000000.
import { openLoad } from '../load.mjs';
import { start } from '../measure.mjs';
import { table, whole } from '../report.ts';
import { judge } from '../verdict.ts';
import { shown } from '../servers/options.mjs';

const subjects = {
  'bare JSON route': 'node/bare',
  'the floor inside AsyncLocalStorage': 'node/floorInContext',
  [`lifesign, ${shown.default}`]: 'node/lifesign/default',
};
/**
 * The young generation has its full size from the start. Left to itself, V8 doubles it whenever enough objects outlive a turn: with
 * lifesign and by hand alike up to 24 MB above the bare route, at no certain time.
 */
const flags = ['--expose-gc', '--min-semi-space-size=16', '--max-semi-space-size=16'];
/** Of all requests: where the memory is looked at. Until the second, V8 compiles the code. */
const marks = [0.2, 0.4, 0.6, 0.8, 1];
/** Megabytes: resident memory comes and goes with the garbage collector, what is left after a collection does not. */
const allowed = { rss: 8, heap: 1 };

const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1);

async function measure(subject, requests) {
  const server = await start(subject, { flags });
  const load = await openLoad(server.port, '/');
  try {
    const seen = [];
    for (const [index, mark] of marks.entries()) {
      const many = Math.round(requests * (mark - (marks[index - 1] ?? 0)));
      await load.run(many);
      seen.push(await server.ask('memory'));
    }
    return seen;
  } finally {
    load.close();
    await server.stop();
  }
}

export async function memorySection({ requests }) {
  const body = [];
  const findings = [];
  for (const [label, subject] of Object.entries(subjects)) {
    const seen = await measure(subject, requests);
    const [settled, last] = [seen[1], seen.at(-1)];
    body.push([
      label,
      ...seen.map(({ rss }) => megabytes(rss)),
      `${megabytes(settled.heapUsed)} to ${megabytes(last.heapUsed)}`,
    ]);
    if (!subject.includes('lifesign')) continue;
    for (const [name, budget] of [
      ['rss', allowed.rss],
      ['heapUsed', allowed.heap],
    ]) {
      const value = (last[name] - settled[name]) / 2 ** 20;
      const says = `memory: ${name} grew by ${value.toFixed(1)} MB in ${whole(requests)} requests, budget ${budget}`;
      findings.push({ value, budget, says });
    }
  }
  const head = [
    'RSS in MB after',
    ...marks.map((mark) => whole(requests * mark)),
    'heap after collection, MB',
  ];
  return {
    name: 'scale: memory',
    text: `### memory after ${whole(requests)} requests\n\n${table(head, body)}\n\nBudget: from the second column to the last at most ${allowed.rss} MB more RSS, and ${allowed.heap} MB more heap after a collection. The young generation is fixed at 16 MB (\`${flags.slice(1).join(' ')}\`): V8 doubles it whenever enough objects outlive a turn of the event loop, as they do with a summary by hand too, and the RSS of a server without these flags is up to 24 MB less until it has.`,
    ...judge(findings),
  };
}
