import type { Engine } from '../../core/engine.js';
import { replace } from '../../core/replace.js';
import { canListen } from './watch-server.js';

/** Refuses groups and options of checks which are not registered when the application, or its server, is to listen. */
export function requireChecksBeforeListen<Request>(engine: Engine<Request>, app: object): void {
  const { groups, checkOptions } = engine.options;
  if (Object.keys(groups).length + Object.keys(checkOptions).length === 0) return;
  if (!canListen(app)) return;
  const { listen } = app;
  const listening = function (this: unknown, ...args: readonly unknown[]): unknown {
    if (!engine.closed) engine.requireKnownChecks();
    return Reflect.apply(listen, this, args);
  };
  engine.onClose(replace(app, 'listen', listening));
}
