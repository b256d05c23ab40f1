import { afterEach, describe, expect, test } from 'vitest';
import type { RunningHost } from './host.js';
import { hosts } from './hosts/index.js';

/** The health page is the same on every framework: the core makes it, the framework writes it. */
describe.each(hosts.map((host) => [host.name, host] as const))('the health page on %s', (_, host) => {
  let running: RunningHost | undefined;
  afterEach(() => running?.close());

  test('the page and its JSON are served; the rest stays the application’s', async () => {
    let runs = 0;
    const check = () => {
      runs += 1;
      return [];
    };
    running = await host.start({ options: { page: true, details: true }, checks: { storage: check } });
    const { origin } = running;

    const before = await fetch(`${origin}/__health__`);
    expect(await before.text()).toContain('no heartbeat yet');
    await fetch(`${origin}/__heartbeat__`);
    const page = await fetch(`${origin}/__health__`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).toContain('The only check passes');
    expect(html).toContain('storage');
    const json: unknown = await (await fetch(`${origin}/__health__.json`)).json();
    expect(json).toMatchObject({ status: 'ok', checks: [{ name: 'storage', results: [0] }] });
    expect(await (await fetch(`${origin}/__health__/x`)).json()).toEqual({ application: 'not found' });
    expect(runs).toBe(1);
  });
});
