import { closeSync, futimesSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { outsideRequest } from '../core/request/request.js';
import { workerFile } from './errors.js';
import { codeOf } from './places.js';

/** Called after each run of the checks. */
type Beat = (well: boolean) => void;

/**
 * Runs the checks every `interval` milliseconds and reports whether the worker is healthy: the heartbeat passes, or `/livez` if the probes are on.
 * A draining process counts as healthy: a restart now would cut its jobs. It keeps no process alive.
 * Ends when the Health is closed, or when the returned function is called.
 */
export function startPulse<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
  interval: number,
  beat: Beat,
): () => void {
  let live = true;
  let leaving = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function poll(): Promise<void> {
    const started = performance.now();
    const heartbeat = await health.run();
    if (closed) return;
    beat(leaving || (health.options.probes === undefined ? !heartbeat.failed : live));
    // Slow checks do not stretch the time between two runs.
    timer = setTimeout(next, Math.max(0, interval - (performance.now() - started)));
    timer.unref();
  }
  const next = () => void poll();
  function stop(): void {
    closed = true;
    clearTimeout(timer);
  }

  health.addFeature({
    onVerdict: (change: VerdictChange) => (live = change.live === 'pass'),
    onLeave() {
      leaving = true;
    },
    close: stop,
  });
  // The checks that are registered in this turn of the event loop are part of the first run.
  outsideRequest(() => setImmediate(next));
  return stop;
}

/** Milliseconds between two runs of the checks for the file, unless the option `every` says otherwise. */
const usualInterval = 10_000;

/** Touches a file while the worker is healthy. `lifesign probe --file` checks its time; it has no content. */
export function keepFile<Request, FrameworkRequest>(
  health: HealthCore<Request, FrameworkRequest>,
  path: string,
): void {
  let failing = false;
  const log = (level: 20 | 40, msg: string, code?: string) =>
    health.log({
      logger: 'health',
      level,
      time: Date.now(),
      fields: code === undefined ? {} : { code },
      msg,
    });

  // A file that a killed process has left must not speak for this one.
  removeOurs(path);
  startPulse(health, health.options.every ?? usualInterval, (well) => {
    if (!well) return;
    try {
      touch(path);
      if (failing) log(levels.info, `The file ${path} can be touched again`);
      failing = false;
    } catch (thrown) {
      const { code, message } = workerFile(path, codeOf(thrown), thrown);
      // Once, and not every few seconds for as long as a disk is full.
      if (!failing) log(levels.error, message, code);
      failing = true;
    }
  });
  health.onClose(() => removeOurs(path));
}

/** Synchronous: a few microseconds, and a process that ends leaves none half done. */
function touch(path: string): void {
  const now = Date.now() / 1000;
  const file = openSync(path, 'a');
  try {
    futimesSync(file, now, now);
  } finally {
    closeSync(file);
  }
}

/** Removes the file if it is one of ours: empty. A file with content belongs to other code. */
function removeOurs(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isFile() && found.size === 0) unlinkSync(path);
  } catch {
    // Not there, or not ours to remove: its age shows it.
  }
}
