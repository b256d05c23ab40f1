// Which processes a run of the tests has left behind.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
/** Tests work in the clone and in temporary directories of these names. */
const isOfTests = (place) => place.startsWith(root) || /\/(?:tmp|T)\/lifesign-/.test(place);

/** The number of a process and what it was started as, or undefined if it is of others or has a parent that may still end it. */
function orphan(pid, since) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const started = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    if (state === 'Z' || parent !== '1' || started < since) return undefined;
    if (!isOfTests(readlinkSync(`/proc/${pid}/cwd`))) return undefined;
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`;
  } catch {
    // It has ended, or is not ours to look at.
    return undefined;
  }
}

/** The present, in the ticks since boot that /proc has. */
export function ticks() {
  try {
    return Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]) * 100;
  } catch {
    return 0;
  }
}

/** Orphans of tests that started since then, after they had some seconds to end; none where there is no /proc. */
export async function leftBehind(since, seconds = 60) {
  for (let left = seconds; ; left -= 1) {
    const found = pids().flatMap((pid) => orphan(pid, since) ?? []);
    if (found.length === 0 || left <= 0) return found;
    await pause(1000);
  }
}

function pids() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
