import { within } from '../../core/deadlines.js';
import { levels, type MessageLevel } from '../../core/heartbeat/messages.js';
import { describe } from '../../core/scrub/scrub.js';

export type DrainLog = (level: MessageLevel, msg: string, error?: unknown) => void;

/** Runs `onShutdown`, all of it within `limit` milliseconds. Whether each hook succeeded; those after one that failed run all the same. */
export async function runHooks(
  hooks: readonly (() => unknown)[],
  limit: number,
  log: DrainLog,
): Promise<boolean> {
  const end = performance.now() + limit;
  let succeeded = true;
  for (const hook of hooks) {
    const { name }: { name: unknown } = hook;
    if (!(await succeeds(`onShutdown ${String(name)}`, hook, end, limit, log))) succeeded = false;
  }
  return succeeded;
}

/** Never rejects: a process whose own way to end fails or hangs must end all the same. */
export async function endProcess(
  exit: (code: number) => unknown,
  code: number,
  limit: number,
  log: DrainLog,
): Promise<void> {
  const end = performance.now() + limit;
  if (!(await succeeds('exit', () => exit(code), end, limit, log))) process.exit(code);
}

/** Whether a function of the application succeeds before `end`. If it does not, the log says why. */
async function succeeds(
  who: string,
  call: () => unknown,
  end: number,
  limit: number,
  log: DrainLog,
): Promise<boolean> {
  try {
    const called = Promise.resolve(call()).then(() => true);
    if (await within(called, Math.max(0, end - performance.now()), false)) return true;
    log(levels.error, `${who} did not finish within ${limit} ms`);
  } catch (thrown) {
    log(levels.error, `${who} threw ${describe(thrown)}`, thrown);
  }
  return false;
}
