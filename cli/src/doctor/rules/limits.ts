import { frontFor } from '../fronts.js';
import { bytesOf, timeOf } from '../tree.js';
import { runsNode, usesLifesign } from '../traits.js';
import type { Workload } from '../workload.js';
import { variableLines } from './fixes.js';
import type { Rule } from './rule.js';

const mebibyte = 1024 * 1024;
/** Of the limit: the rest is for buffers, code and threads. */
const maxHeap = 0.85;

/** The heap that a runtime may take, in bytes, and how it is written. */
function heapOf({
  env,
  start,
}: Workload): { readonly bytes: number; readonly text: string; readonly node: boolean } | undefined {
  const words = [...env].map(([name, value]) => (/OPT|ARGS|FLAGS/.test(name) ? (value ?? '') : ''));
  const line = [...words, ...(start?.words ?? [])].join(' ');
  const [text, size] = /--max[-_]old[-_]space[-_]size[= ](\d{1,9})(?!\d)/.exec(line) ?? [];
  if (text !== undefined) return { bytes: Number(size) * mebibyte, text, node: true };
  const [java, amount] = /-Xmx(\d{1,12}[kmgt]?)\b/i.exec(line) ?? [];
  return java === undefined ? undefined : { bytes: bytesOf(amount, true) ?? 0, text: java, node: false };
}

export const heapLimit: Rule = {
  id: 'heap-limit',
  level: 'hazard',
  source: 'https://nodejs.org/api/cli.html#--max-old-space-sizesize-in-mib',
  judge: (workload) => {
    const { memory } = workload;
    const heap = heapOf(workload);
    if (memory === undefined || heap === undefined || !(heap.bytes > maxHeap * memory.bytes)) return [];
    const fitting = Math.floor((0.75 * memory.bytes) / mebibyte);
    return {
      line: memory.line,
      sentence: `The heap may take ${Math.round(heap.bytes / mebibyte)} MiB (${heap.text}), and the container is killed at ${Math.round(memory.bytes / mebibyte)} MiB: it is killed without a word before the garbage collector is forced to work.`,
      write: [heap.node ? `--max-old-space-size=${fitting}` : `-Xmx${fitting}m`],
    };
  },
};

const seconds = 1000;
/** The default idle timeout of AWS. */
const albIdle = 60 * seconds;
/** Node's own, if nothing else is set. */
const nodeDefault = 5 * seconds;

const ownVariable = 'HEALTH_KEEP_ALIVE';

/** How long the server keeps an idle connection, as written. */
function keepAliveOf({ env, start }: Workload): { readonly ms: number; readonly text: string } | undefined {
  for (const [name, value = ''] of env) {
    if (!/KEEP_?ALIVE(?:_?TIME_?OUT)?(?:_MS|_SECONDS|_S)?$/i.test(name)) continue;
    const written = timeOf(value) ?? (/^\d{1,9}$/.test(value) ? Number(value) : Number.NaN);
    // Times below a second are not written in milliseconds.
    const inSeconds = /^\d+$/.test(value) && written < seconds;
    const ms = inSeconds ? written * seconds : written;
    return { ms, text: `${name}=${value}` };
  }
  const line = (start?.words ?? []).join(' ');
  const [millis, count] = /--keepAliveTimeout[= ](\d{1,9})/.exec(line) ?? [];
  if (millis !== undefined) return { ms: Number(count), text: millis };
  const [text, number] = /--(?:timeout-)?keep-alive(?:-timeout)?[= ](\d{1,6})/.exec(line) ?? [];
  return text === undefined ? undefined : { ms: Number(number) * seconds, text };
}

export const keepAlive: Rule = {
  id: 'keep-alive',
  level: 'hazard',
  source:
    'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/edit-load-balancer-attributes.html#connection-idle-timeout',
  judge: (workload, call) => {
    const written = keepAliveOf(workload);
    const front = frontFor(workload.labels ?? new Map(), call.fronts);
    const idle = front?.idle ?? (workload.format === 'ecs' && workload.ports.size > 0 ? albIdle : undefined);
    if (idle === undefined || (written === undefined && (front === undefined || !runsNode(workload))))
      return [];
    const { ms, text } = written ?? { ms: nodeDefault, text: 'the default of Node' };
    if (!(ms <= idle) || ms === 0) return [];
    const who = front?.name ?? 'an Application Load Balancer, by default,';
    return {
      line: workload.line,
      sentence: `The server closes an idle connection after ${ms / seconds} s (${text}), but ${who} uses it for ${idle / seconds} s: some requests meet a closed connection, and users see a 502.`,
      write: usesLifesign(workload)
        ? variableLines(workload.format, ownVariable, `${(idle + 5 * seconds) / seconds}s`)
        : [],
    };
  },
};
