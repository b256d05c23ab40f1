import { LifesignError } from '../core/options/errors.js';

export const watchdogTwice = () =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_TWICE',
    'This process already has a watchdog. Keep the first one, or close it before you start another.',
  );

export const watchdogPortTaken = (address: string, reason: string, inCluster: boolean) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_PORT',
    inCluster
      ? `The watchdog of this cluster worker does not answer on ${address} (${reason}): another worker does, and a probe there sees that one. This worker is watched, and its blocks are logged. To probe each, give each its own port, such as watchdog: { port: 8001 + cluster.worker.id }, or use 0.`
      : `The watchdog cannot listen on ${address} (${reason}). It still logs blocks, and it retries every few seconds. ` +
          'Set watchdog.port or HEALTH_WATCHDOG_PORT to a free port.',
  );

export const watchdogEnded = (reason: string, next: string) =>
  new LifesignError(
    'LIFESIGN_WATCHDOG_THREAD',
    `The watchdog thread exited (${reason}). ${next} The application is not affected.`,
  );
