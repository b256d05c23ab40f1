import type { HealthCore } from '../../core/health.js';

/** Refuses groups that name checks which are not registered when the application, or its server, is to listen. */
export function requireChecksBeforeListen<Request>(health: HealthCore<Request>, app: object): void {
  if (Object.keys(health.options.groups).length === 0) return;
  const listen: unknown = Reflect.get(app, 'listen');
  if (typeof listen !== 'function') return;
  Reflect.set(app, 'listen', (...args: readonly unknown[]): unknown => {
    health.requireKnownChecks();
    return Reflect.apply(listen, app, args);
  });
}
