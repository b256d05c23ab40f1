import { readdirSync, readFileSync } from 'node:fs';

/** Ticks of a second in /proc: 100 on every Linux of today. */
const ticks = 100;

/** Seconds of processor that a process and its children have used, those that ended included. */
export function processorTime(pid: number): number {
  const own = statOf(pid);
  if (own === undefined) return 0;
  // Of children that ended only ticks are known.
  let sum = ran(pid) + (Number(own[13]) + Number(own[14])) / ticks;
  for (const entry of readdirSync('/proc')) {
    if (/^\d+$/.test(entry) && Number(statOf(Number(entry))?.[1]) === pid) sum += ran(Number(entry));
  }
  return sum;
}

/** To the nanosecond, for each thread. */
function ran(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return times.reduce((sum, time) => sum + time, 0) / 1e9;
  } catch {
    return 0;
  }
}

/** The fields after the name of the command, which may have spaces. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
