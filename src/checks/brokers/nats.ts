import { property } from '../client.js';
import { orAborted } from '../flight.js';
import { type Broker, closed, offline } from './broker.js';
import type { NatsConnection } from './client-shapes.js';

export const nats = (connection: NatsConnection): Broker => ({
  name: 'NATS',
  async ping({ signal }) {
    if (connection.isClosed()) throw closed();
    requireConnected(connection);
    // Its PING and PONG.
    await orAborted(connection.flush(), signal);
  },
});

/** Throws if a connection has no server: it would queue requests until it has one. */
export function requireConnected(connection: unknown): void {
  const protocol = property(connection, 'protocol');
  if (property(protocol, 'connected') !== false) return;
  throw (
    property(protocol, 'lastError') ?? property(property(protocol, 'transport'), 'closeError') ?? offline()
  );
}
