import { call, hasMethods, property } from '../client.js';

/**
 * The socket of a connection of mariadb, with callbacks or with promises; undefined of any other. The connection keeps it to itself, and so does what
 * is inside of it, which only a listener sees: as `this`. The driver's own `destroy` has a second connection kill the session of the first one,
 * and if the server has forgotten that session, an unhandled rejection ends the process.
 */
export function mariadbSocketOf(connection: unknown): unknown {
  if (!hasMethods(connection, 'isValid', 'once')) return undefined;
  const seen: unknown[] = [];
  call(connection, 'once', 'newListener', function (this: unknown) {
    seen.push(this);
  });
  // Emitted to the first one; the listener stays, on a connection that has ended.
  call(connection, 'once', 'newListener', () => {});
  return property(seen[0], 'socket');
}
