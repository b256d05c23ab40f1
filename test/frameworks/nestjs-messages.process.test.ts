import { fork } from 'node:child_process';
import { once } from 'node:events';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../services/port.js';
import { compiled } from '../compiled/index.js';

test('a microservice of NestJS that gets SIGTERM during a message answers it, says so, and ends', async () => {
  const port = await freePort();
  const child = fork(compiled(new URL('message-app.ts', import.meta.url)), [String(port)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, 'close');
  await once(child, 'message');
  const client = ClientProxyFactory.create({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port },
  });
  onTestFinished(() => client.close());
  await client.connect();
  const answer = firstValueFrom(client.send<string>('order', 1000));
  await once(child, 'message');
  child.kill('SIGTERM');
  expect(await answer).toBe('answered after 1000');
  await closed;
  expect(output).toContain('Draining (SIGTERM): taking no more work, 1 job is in progress');
  expect(output).not.toContain('Cut off');
  // Nest sends the signal to itself once more.
  expect([child.exitCode, child.signalCode]).toEqual([null, 'SIGTERM']);
});
