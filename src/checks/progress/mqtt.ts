import { numberOf, property } from '../client.js';
import { listen } from '../listening.js';
import { mqttOutage } from '../brokers/mqtt.js';
import { type Consumer, type ConsumerSettings, Tally } from './consumer.js';
import type { MqttClient } from './client-shapes.js';

/**
 * MQTT has no queue to inspect: work is messages that were received and not acknowledged. Messages of QoS 0 are never
 * acknowledged and count as done. Those of QoS 2 are handed over when the server releases them.
 */
export function mqtt(client: MqttClient, { life }: ConsumerSettings): Consumer {
  const tally = new Tally();
  const received = new Set<number>();
  const outage = mqttOutage(client, life);
  listen(life, client, 'packetreceive', (packet) => {
    const got = property(packet, 'cmd');
    // Packets of the connection before may still be handled after it was closed: the server sends them again.
    if (got === 'connack') received.clear();
    if (got !== 'publish' && got !== 'pubrel') return;
    const id = numberOf(packet, 'messageId');
    if (property(packet, 'qos') === 0 || id === undefined) tally.done();
    else received.add(id);
  });
  listen(life, client, 'packetsend', (packet) => {
    const sent = property(packet, 'cmd');
    const isEnd = sent === 'puback' || sent === 'pubcomp' || (sent === 'pubrec' && isRefused(packet));
    if (!isEnd && sent !== 'pubrec') return;
    received.delete(numberOf(packet, 'messageId') ?? -1);
    if (isEnd) tally.done();
  });
  listen(life, client, 'close', () => received.clear());
  return {
    look() {
      if (client.connected) return { ...tally.seen, pending: received.size };
      return { ...tally.seen, stopped: outage.text(), connected: outage.isOver() ? undefined : false };
    },
  };
}

/** By MQTT 5 the server does not release refused messages. */
const isRefused = (packet: unknown) => (numberOf(packet, 'reasonCode') ?? 0) >= 128;
