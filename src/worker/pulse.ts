import type { Engine } from '../core/engine.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { outsideRequest } from '../core/request/request.js';

/** Called after each run of the checks. */
type Beat = (well: boolean) => void;

/**
 * Runs the checks every `interval` milliseconds and reports whether the worker is healthy: the heartbeat passes, or `/livez` if the probes are on.
 * A draining process counts as healthy: a restart now would cut its jobs. It keeps no process alive.
 * Ends when the Health is closed, or when the returned function is called.
 */
export function startPulse<Request, FrameworkRequest>(
  engine: Engine<Request, FrameworkRequest>,
  interval: number,
  beat: Beat,
): () => void {
  let live = true;
  let leaving = false;
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    const started = performance.now();
    const heartbeat = await engine.run();
    if (closed) return;
    beat(leaving || (engine.options.probes === undefined ? !heartbeat.failed : live));
    // Slow checks do not stretch the time between two looks.
    timer = setTimeout(next, Math.max(0, interval - (performance.now() - started)));
    timer.unref();
  }
  const next = () => void look();
  function stop(): void {
    closed = true;
    clearTimeout(timer);
  }

  engine.addFeature({
    onVerdict: (change: VerdictChange) => (live = change.live === 'pass'),
    onLeave() {
      leaving = true;
    },
    close: stop,
  });
  // The checks that are registered in this turn of the event loop are part of the first look.
  outsideRequest(() => setImmediate(next));
  return stop;
}
