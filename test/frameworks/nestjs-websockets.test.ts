import { once } from 'node:events';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { io } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../core/waiting.js';
import { create, listen, on, type Parts, platforms, shutdown } from './nest-app.js';

class Gateway {
  echo(_client: unknown, data: unknown) {
    return { event: 'echo', data };
  }
}
WebSocketGateway()(Gateway);
on(Gateway.prototype, 'echo', SubscribeMessage('echo'));

/** An application with a gateway; a drain that waits for its timeout never ends. */
async function withGateway(platform: Parts['adapter'], adapter: typeof WsAdapter | typeof IoAdapter) {
  const { app, records } = await create(
    { drain: { timeout: 600_000 } },
    { providers: [Gateway], ...(platform && { adapter: platform }) },
  );
  app.useWebSocketAdapter(new adapter(app));
  const { host } = new URL(await listen(app));
  return { app, host, said: () => records.map(({ msg = '' }) => msg) };
}

describe.each(platforms)('gateways on $platform', ({ adapter: platform }) => {
  test('of the WsAdapter are closed with 1001', async () => {
    const { app, host, said } = await withGateway(platform, WsAdapter);
    const client = new WebSocket(`ws://${host}`);
    const ended = once(client, 'close');
    await once(client, 'open');
    const answered = once(client, 'message');
    client.send(JSON.stringify({ event: 'echo', data: 'hello' }));
    expect(String((await answered)[0])).toBe('{"event":"echo","data":"hello"}');
    await shutdown(app);
    expect((await ended)[0]).toBe(1001);
    expect(said().filter((line) => line.includes('cut'))).toEqual([]);
    expect(said()).toContain('Drained: the framework ends the process');
  });

  test('of the IoAdapter are closed so that clients reconnect', async () => {
    const { app, host, said } = await withGateway(platform, IoAdapter);
    const client = io(`http://${host}`, { transports: ['websocket'], reconnection: false });
    await new Promise<void>((resolve) => void client.once('connect', resolve));
    const reasons: string[] = [];
    client.on('disconnect', (reason) => reasons.push(reason));
    await shutdown(app);
    await until(() => reasons.length === 1);
    expect(reasons).toEqual(['transport close']);
    expect(said().filter((line) => line.includes('cut'))).toEqual([]);
  });
});
