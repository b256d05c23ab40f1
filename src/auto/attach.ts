import { isPromise } from '../core/guard.js';
import type { Server } from 'node:net';
import { healthsMade } from '../core/health.js';
import { flag, integer, optional } from '../core/options/rules.js';
import type { Health } from '../frameworks/node.js';
import { isServer } from '../http/drain/is-server.js';
import { hold } from './hold.js';
import type { Attach } from './listen.js';
import { loadDrain } from './load.js';
import { setting, logMistake } from './mistakes.js';
import { madeHere, open, type Opened } from './open.js';
import type { Auto } from './state.js';

/** Loaded by the first server that listens: one Health for all servers of the process. */
export function attachTo(auto: Auto): Attach {
  const installed = new WeakSet<Server>();
  const listening = new Set<Server>();
  const drainsByVariable = setting('drain', flag, false);
  // Only to say that it is wrong: listen.ts has read it.
  setting('autoPort', optional(integer(1, 65_535)), undefined);
  let opened: Opened | Promise<Opened> | undefined;

  function install(server: Server, { health, close, drains = drainsByVariable }: Opened): void {
    if (health === undefined || !isServer(server)) return;
    if (!installed.has(server)) {
      installed.add(server);
      initApp(health, server);
    }
    if (drains) loadDrain().drainFirst(server, health);
    listening.add(server);
    server.once('close', () => {
      listening.delete(server);
      // Clients of ours would keep the process alive.
      if (listening.size === 0) close();
    });
  }

  return (server) => {
    // Of the application itself, for whichever server: its endpoints are there.
    if (healthsMade() > madeHere()) return false;
    opened ??= open(auto);
    if (!isPromise(opened)) {
      install(server, opened);
      return opened.health !== undefined;
    }
    const release = hold(server);
    const ready = opened
      .then((done) => {
        opened = done;
        // It may have been closed meanwhile; it comes again when it listens.
        if (server.listening) install(server, done);
      })
      .then(undefined, logMistake)
      .then(release);
    if (drainsByVariable) loadDrain().drainAfter(ready);
    return true;
  };
}

function initApp(health: Health, server: Server & object): void {
  const own = Object.hasOwn(server, 'listen');
  health.initApp(server);
  // A server that listens again must not be refused for a name in the options.
  if (!own) Reflect.deleteProperty(server, 'listen');
}
