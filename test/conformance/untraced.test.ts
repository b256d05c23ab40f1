import { Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { registerContexts } from '../core/request/otel-globals.js';
import { get } from './case.js';
import { hosts } from './hosts/index.js';

/** What came through the wrapper that the instrumentation of OpenTelemetry puts around `emit`, marked as it does. */
let traced: unknown[] = [];
// oxlint-disable-next-line typescript/unbound-method -- put back as it was
const { emit } = Server.prototype;

beforeEach(() => {
  traced = [];
  registerContexts();
  const wrapper = function (this: Server, event: string, ...args: readonly unknown[]): boolean {
    if (event === 'request') traced.push(Reflect.get(Object(args[0]), 'url'));
    return Reflect.apply(emit, this, [event, ...args]);
  };
  Server.prototype.emit = Object.assign(wrapper, { __original: emit, __wrapped: true });
});
afterEach(() => void Reflect.deleteProperty(Server.prototype, 'emit'));

// OpenTelemetry does not wrap servers of HTTP/2; in front of ours is one of the test.
describe.each(hosts.filter(({ name }) => name !== 'node:http2'))('$name', (host) => {
  test('probes do not come to an instrumentation of the server, the rest does', async () => {
    const running = await host.start({ options: { probes: true, prefix: '/shop' } });
    onTestFinished(() => running.close());
    for (const path of ['/__heartbeat__', '/__lbheartbeat__', '/livez?verbose', '/shop/readyz/']) {
      expect((await get(running, path)).status).toBeLessThan(300);
    }
    expect(traced).toEqual([]);
    await get(running, '/orders?id=7');
    expect(traced).toEqual(['/orders?id=7']);
    expect(running.records.filter(({ logger }) => logger === 'health')).toEqual([]);
  });
});
