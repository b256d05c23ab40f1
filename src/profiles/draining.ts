import { engineOf, type HealthCore } from '../core/health.js';

/**
 * The option `drain`: on a signal the servers of the Health are drained, `onShutdown` runs, and the process ends. The code is loaded now: a
 * server that only its first request shows is drained from that request on.
 */
export function drainServers(health: HealthCore<never>, onShutdown: readonly (() => unknown)[] = []): void {
  const engine = engineOf(health);
  if (engine.options.drain === undefined) return;
  const loading = import('../http/drain/first.js');
  let loaded: Awaited<typeof loading> | undefined;
  loading.then(
    (room) => (loaded = room),
    (error: unknown) => engine.logError('The option drain has no effect: its code cannot be loaded', error),
  );
  // The first request of a server that the framework does not show has it.
  engine.onServer = (server, first) => {
    if (loaded !== undefined) loaded.drainByOption(server, health, { onShutdown, first });
    else
      loading.then(
        (room) => room.drainByOption(server, health, { onShutdown, first }),
        () => {},
      );
  };
}
