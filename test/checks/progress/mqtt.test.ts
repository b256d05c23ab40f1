// Generated orders of events, as the library emits them by its source.
import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mqtt } from '../../../src/checks/progress/mqtt.js';
import { looking, settings } from './looking.js';

describe('a client of MQTT', () => {
  const step = fc.record({
    does: fc.constantFrom('publish', 'publish', 'handle', 'handle', 'refuse', 'reconnect'),
    qos: fc.constantFrom(0, 1, 2),
    id: fc.integer({ min: 1, max: 5 }),
    /** Whether a packet of the connection before is handled after that was closed. */
    late: fc.boolean(),
  });

  it('has as much to do as was handed over and not acknowledged, at every QoS and over reconnects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const client = Object.assign(new EventEmitter(), {
          connected: true,
          reconnecting: false,
          handleMessage: () => {},
          unsubscribe: () => {},
        });
        const look = await looking(mqtt(client, settings()));
        const get = (cmd: string, more: object = {}) => client.emit('packetreceive', { cmd, ...more });
        const send = (cmd: string, more: object) => client.emit('packetsend', { cmd, ...more });
        /** What the application has, by the id of its message. */
        let held = new Map<number, number>();
        for (const { does, qos, id: messageId, late } of steps) {
          let isDone = false;
          if (does === 'reconnect') {
            client.emit('close');
            if (late) get('publish', { qos: 1, messageId });
            get('connack');
            client.emit('connect');
            held = new Map();
          } else if (does === 'publish' && !held.has(messageId)) {
            get('publish', qos === 0 ? { qos } : { qos, messageId });
            isDone = qos === 0;
            // The application gets a message of QoS 2 when it is released, and the server releases what was not refused.
            if (qos === 2) {
              send('pubrec', { messageId, reasonCode: late ? 135 : 0 });
              isDone = late;
              if (!late) get('pubrel', { messageId });
            }
            if (qos === 1 || (qos === 2 && !late)) held.set(messageId, qos);
          } else if (does === 'handle' && held.has(messageId)) {
            send(held.get(messageId) === 1 ? 'puback' : 'pubcomp', { messageId });
            held.delete(messageId);
            isDone = true;
          }
          expect(await look()).toMatchObject({ isDone, failed: 0, pending: held.size });
        }
      }),
    );
  });
});
