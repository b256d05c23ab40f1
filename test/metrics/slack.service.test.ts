import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';

const file = join(import.meta.dirname, '../../deploy/prometheus/alertmanager-slack.yml');

test.skipIf(!canStart('alertmanager'))('an alert reaches a webhook that is like that of Slack', async () => {
  const messages: string[] = [];
  const webhook = createServer((req, res) => {
    void text(req).then((body) => {
      messages.push(body);
      res.end('ok');
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    webhook.close();
    webhook.closeAllConnections();
  });
  const { port } = webhook.address() as AddressInfo;
  const config = (await readFile(file, 'utf8'))
    .replace('127.0.0.1:9099', `127.0.0.1:${port}`)
    .replace('group_wait: 30s', 'group_wait: 100ms');
  expect(config).toContain(`127.0.0.1:${port}`);
  const alertmanager = await startService('alertmanager', { args: [config] });
  onTestFinished(() => alertmanager.stop());
  const alert = {
    labels: { alertname: 'HeartbeatFails', job: 'shop', instance: '10.0.0.7:8000' },
    annotations: { summary: 'The heartbeat of shop fails' },
  };
  await fetch(`${alertmanager.url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify([alert]),
  });
  await until(() => messages.length > 0);
  expect(JSON.parse(messages[0] ?? '')).toMatchObject({
    channel: '#alerts',
    attachments: [
      {
        title: 'firing: HeartbeatFails of shop',
        text: 'The heartbeat of shop fails (10.0.0.7:8000)\n',
      },
    ],
  });
});
