import { connect, type MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { type Behaviour, pause, Stage, stalledAfter } from './stage.js';

describe.skipIf(!canStart('mosquitto'))('MQTT', () => {
  let server: RunningService;
  const clients: MqttClient[] = [];

  beforeAll(async () => {
    server = await startService('mosquitto');
  });
  afterAll(async () => {
    for (const client of clients) client.end(true);
    await server?.stop();
  });

  function open(clientId: string, port = server.port, password = 'pl4nted-S3cret', reconnectPeriod = 100) {
    const client = connect(`mqtt://127.0.0.1:${port}`, {
      username: 'planted_user',
      password,
      clientId,
      clean: false,
      protocolVersion: 5,
      properties: { sessionExpiryInterval: 3600 },
      reconnectPeriod,
    });
    client.on('error', () => {});
    clients.push(client);
    return client;
  }

  it('is seen in every state', { timeout: 180_000 }, async () => {
    const stage = new Stage('MQTT');
    const client = open('worker');
    const publisher = open('publisher');
    const add = (text = 'job', qos: 0 | 1 | 2 = 1) => publisher.publishAsync('jobs', text, { qos });
    let behaviour: Behaviour = 'work';
    let done = 0;
    // What is not handled is not acknowledged, as the client has it.
    client.handleMessage = (_packet, callback) => {
      if (behaviour === 'hang') return;
      done += 1;
      callback();
    };
    const watch = stage.watch(client, { name: 'jobs', consumer: client, stalledAfter });
    await client.subscribeAsync('jobs', { qos: 2 });
    await add();
    await add('job', 0);
    await add('job', 2);
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done).toBe(3);
    await watch.ok(stalledAfter * 2);
    await watch.see('no message comes for long', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    await add();
    await watch.see('the client hangs in its message', { broker: 'health.E012', progress: 'health.E036' });
    behaviour = 'work';
    client.stream.destroy();
    await watch.see('connected again, the message came again', { broker: 'ok', progress: 'ok' });

    // MQTT has one connection for each name.
    client.options.reconnectPeriod = 0;
    const other = open('worker', server.port, 'pl4nted-S3cret', 0);
    await watch.see('another client with its name took the session over', {
      broker: 'health.E031',
      progress: 'health.E037',
    });
    await other.endAsync(true);
    client.options.reconnectPeriod = 100;
    client.reconnect();
    await watch.see('it has its session again', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', { broker: ['health.E012', 'health.E013'], progress: 'ok' });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    await add();
    await pause(100);
    await server.kill();
    await watch.see('killed during a job', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E037' });
    behaviour = 'work';
    const before = done;
    await server.restart();
    await watch.see('recovered', { broker: 'ok', progress: 'ok' });
    await add();
    await expect.poll(() => done, { timeout: 10_000 }).toBeGreaterThan(before);

    await client.endAsync();
    await watch.see('the application closed the connection', {
      broker: 'health.E032',
      progress: 'health.E037',
    });

    const refused = open('refused', await freePort());
    await stage
      .watch(refused, { name: 'jobs', consumer: refused, stalledAfter })
      .see('refused', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E037' });
    const wrong = open('wrong', server.port, 'wr0ng-S3cret');
    await stage
      .watch(wrong, { name: 'jobs', consumer: wrong, stalledAfter })
      .see('wrong password', { broker: 'health.E033', progress: 'health.E037' });
    stage.expectTable();
  });
});
