import { call, property } from '../client.js';
import type { Life } from '../life.js';
import { listen } from '../listening.js';
import { type Broker, offline } from './broker.js';
import type { RheaConnection } from './client-shapes.js';

/** AMQP 1.0 has no ping: rhea itself ends a connection that is silent for its `idle_time_out`. */
export function rhea(connection: RheaConnection, life: Life): Broker {
  let last: unknown;
  let listening = false;
  // An event that a connection has a listener for reaches no other: we listen only if others do.
  const attach = () => {
    if (listening) return;
    const holders = [connection, property(connection, 'container')];
    const holder = holders.find((each) => Number(call(each, 'listenerCount', 'disconnected')) > 0);
    if (holder === undefined) return;
    listening = true;
    listen(life, holder, 'disconnected', (context) => {
      if (property(context, 'connection') === connection) last = property(context, 'error');
    });
  };
  attach();
  return {
    name: 'the AMQP broker',
    async ping() {
      attach();
      if (connection.is_open()) return;
      throw call(connection, 'get_error') ?? last ?? offline();
    },
  };
}
