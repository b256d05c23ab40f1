import { describe, expect, onTestFinished, test } from 'vitest';
import { get } from './case.js';
import { hosts } from './hosts/index.js';

// HTTP/2 has no such header; in front of ours is a server of the test.
describe.each(hosts.filter(({ name }) => name !== 'node:http2'))('$name', (host) => {
  test('keepAlive is what the server tells its clients', async () => {
    const running = await host.start({ options: { keepAlive: '65s' } });
    onTestFinished(() => running.close());
    const ask = () => get(running, '/', { Connection: 'keep-alive' });
    // A server that the framework does not show is known by its first request.
    await ask();
    expect((await ask()).headers['keep-alive']).toBe('timeout=65');
  });
});
