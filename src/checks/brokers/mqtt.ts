import { call, property } from '../client.js';
import { orAborted } from '../flight.js';
import type { Life } from '../life.js';
import { listen, monitorErrors } from '../listening.js';
import type { MqttClient } from '../progress/client-shapes.js';
import { type Broker, closed, offline, Unconnected } from './broker.js';
import { brokerReason } from './reasons.js';

/** A topic without subscribers. */
const topic = 'lifesign/ping';

export function mqtt(client: MqttClient, life: Life): Broker {
  const outage = mqttOutage(client, life);
  return {
    name: 'the MQTT broker',
    async ping({ signal }) {
      if (!client.connected) throw outage.cause();
      // A round trip that needs no right and changes nothing: the client has no way to ask for its PINGREQ.
      await orAborted(
        new Promise<void>((resolve, reject) => {
          const done = (error?: unknown) => (error ? reject(error) : resolve());
          call(client, 'unsubscribe', topic, done);
        }),
        signal,
      );
    },
  };
}

/** Why a client has no connection, if it says so. */
export function mqttOutage(
  client: MqttClient,
  life: Life,
): {
  cause(): unknown;
  text(): string;
  /** Whether the client will not connect again. */
  isOver(): boolean;
} {
  let last: unknown;
  monitorErrors(life, client, (error) => {
    last = error;
  });
  // By MQTT 5 the server says why it ends a connection.
  listen(life, client, 'disconnect', (packet) => {
    last = new Error(property(packet, 'reasonCode') === 0x8e ? 'Session taken over' : 'Connection closed');
  });
  listen(life, client, 'connect', () => {
    last = undefined;
  });
  const isOver = () => property(client, 'disconnecting') === true || !isTrying(client);
  const cause = () => {
    if (isOver()) return closed();
    return last ?? offline();
  };
  return {
    cause,
    isOver,
    text() {
      const found = cause();
      return found instanceof Unconnected
        ? found.message
        : `the client has no connection: ${brokerReason(found).text}`;
    },
  };
}

/** Whether it connects, or is about to. */
const isTrying = (client: MqttClient) => client.reconnecting || property(client, 'disconnected') !== true;
