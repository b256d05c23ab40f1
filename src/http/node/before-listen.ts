import type { Engine } from '../../core/engine.js';

/** Refuses groups and options of checks which are not registered when the application, or its server, is to listen. */
export function requireChecksBeforeListen<Request>(engine: Engine<Request>, app: object): void {
  const { groups, checkOptions } = engine.options;
  if (Object.keys(groups).length + Object.keys(checkOptions).length === 0) return;
  const listen: unknown = Reflect.get(app, 'listen');
  if (typeof listen !== 'function') return;
  Reflect.set(app, 'listen', (...args: readonly unknown[]): unknown => {
    engine.requireKnownChecks();
    return Reflect.apply(listen, app, args);
  });
}
