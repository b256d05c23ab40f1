import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { raw } from './raw.js';
import type { RunningHost } from './host.js';
import { hosts } from './hosts/index.js';

/** The health page is the same on every framework: the core makes it, the framework writes it. */
describe.each(hosts.map((host) => [host.name, host] as const))('the health page on %s', (_, host) => {
  let running: RunningHost | undefined;
  afterEach(() => running?.close());

  test('page, JSON, badge and events are served; the rest stays the application’s', async () => {
    let runs = 0;
    const check = () => {
      runs += 1;
      return [];
    };
    running = await host.start({ options: { page: true, details: true }, checks: { storage: check } });
    const { origin } = running;

    const events = await fetch(`${origin}/__health__/events`);
    expect(events.headers.get('content-type')).toBe('text/event-stream');
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain('no heartbeat yet');

    await fetch(`${origin}/__heartbeat__`);
    let text = '';
    while (!text.includes('The only check passes')) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`The stream ended after ${text}`);
      text += value;
    }
    await reader?.cancel();

    const page = await fetch(`${origin}/__health__`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('storage');
    const json: unknown = await (await fetch(`${origin}/__health__.json`)).json();
    expect(json).toMatchObject({ status: 'ok', checks: [{ name: 'storage', results: [0] }] });
    expect(await (await fetch(`${origin}/__health__/badge.svg`)).text()).toContain('health: ok');
    expect(await (await fetch(`${origin}/__health__/x`)).json()).toEqual({ application: 'not found' });
    expect(runs).toBe(1);
  });

  test('page and JSON are compressed for clients that take gzip, the three endpoints never', async () => {
    running = await host.start({
      options: { page: true, details: true },
      checks: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`check_${index}`, () => []])),
      versionCallback: () => ({ text: 'x'.repeat(2000) }),
    });
    const ask = (path: string, accepted: string) =>
      raw(running as RunningHost, 'GET', path, { 'Accept-Encoding': accepted });
    await ask('/__heartbeat__', '');
    for (const path of ['/__health__', '/__health__.json']) {
      const plain = await ask(path, 'identity, gzip;q=0, br');
      expect([path, plain.headers['content-encoding'], plain.headers['vary']]).toEqual([
        path,
        undefined,
        'Accept-Encoding',
      ]);
      const small = await ask(path, 'br;q=1.0, gzip;q=0.8');
      const { 'content-encoding': encoding, 'content-length': length, vary } = small.headers;
      expect([path, small.status, encoding, vary]).toEqual([path, 200, 'gzip', 'Accept-Encoding']);
      expect(Number(length)).toBeLessThan(plain.body.length / 3);
      expect(gunzipSync(Buffer.from(small.body, 'latin1')).toString()).toContain('check_29');
    }
    for (const path of ['/__heartbeat__', '/__version__', '/__lbheartbeat__']) {
      expect((await ask(path, 'gzip')).headers['content-encoding']).toBe(undefined);
    }
  });
});
