import { closeSync, futimesSync, lstatSync, openSync, unlinkSync } from 'node:fs';
import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { outsideRequest } from '../core/request/request.js';
import { systemErrorCode, sayError, workerFile } from './errors.js';

/** Milliseconds between two runs of the checks, unless the option `every` says otherwise. */
const usualInterval = 10_000;

/**
 * Runs the checks again and again, and touches a file while the worker is healthy: the heartbeat passes, or `/livez` if the probes are on.
 * A draining process counts as healthy: a restart now would cut its jobs. `lifesign probe --file` checks the time of the file; it has no content.
 */
export function keepFile(health: HealthCore<never>, path: string): void {
  const interval = health.options.every ?? usualInterval;
  let live = true;
  let failing = false;
  let leaving = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // Only the first failure and its end are logged, not one every few seconds while a disk is full.
  function touchHealthy(): void {
    try {
      touch(path);
      if (failing) health.say(levels.info, `The file ${path} can be touched again`);
      failing = false;
    } catch (thrown) {
      if (!failing) sayError(health, workerFile(path, systemErrorCode(thrown), thrown));
      failing = true;
    }
  }

  async function poll(): Promise<void> {
    const started = performance.now();
    const { failed } = await health.run();
    if (closed) return;
    if (leaving || (health.options.probes === undefined ? !failed : live)) touchHealthy();
    // Slow checks do not stretch the time between two runs.
    timer = setTimeout(next, Math.max(0, interval - (performance.now() - started)));
    timer.unref();
  }
  const next = () => void poll();

  // The file of a killed process must not count for this one.
  removeOurs(path);
  health.addFeature({
    onVerdict: (change: VerdictChange) => (live = change.live === 'pass'),
    onLeave() {
      leaving = true;
    },
    close() {
      closed = true;
      clearTimeout(timer);
      removeOurs(path);
    },
  });
  // The checks that are registered in this turn of the event loop are part of the first run.
  outsideRequest(() => setImmediate(next));
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
    const stat = lstatSync(path);
    if (stat.isFile() && stat.size === 0) unlinkSync(path);
  } catch {
    // Not there, or not ours to remove: its age shows it.
  }
}
