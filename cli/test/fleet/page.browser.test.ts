import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prometheusAt } from '../../src/fleet/prometheus.js';
import { questionsFor } from '../../src/fleet/questions.js';
import { answersOf } from '../../src/fleet/serve.js';
import { Watch } from '../../src/fleet/watch.js';
import { executablePath, inBrowser, troubles } from '../../../test/page/in-browser.js';
import { answering, type Described, fakePrometheus, type Handler, pointsOf } from './fake.js';
import { shop, thousand } from './fleets.js';
import { chosen } from '../../../test/whole.js';

/** The page over a Prometheus that does as `handler` says. */
async function page(handler: Handler, every = 3_600_000) {
  const fake = await fakePrometheus(handler);
  const prometheus = prometheusAt(fake.url, { headers: [], timeout: 5000, insecure: false, env: {} });
  const answer = answersOf(new Watch(prometheus, questionsFor([], 3_600_000), 'job'), every);
  const server = createServer((req, res) => {
    void answer(req).then(({ status, headers, body, bytes }) =>
      res.writeHead(status, headers).end(bytes ?? body),
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { fake, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

const long = 'an-unbroken-name-that-goes-on-'.repeat(12);

describe.skipIf(executablePath === undefined)('the page of the fleet', () => {
  const { open, problems } = inBrowser();

  const down: Handler = (_req, res) => res.writeHead(503).end();
  const fleets: Readonly<Record<string, readonly Described[] | Handler>> = {
    'a rollout that goes wrong': shop,
    'all well': shop.filter(({ job }) => job === 'mail'),
    nothing: [],
    'no answer': down,
    'not a heartbeat yet': [{ job: 'a', instance: 'x:1', beating: false }],
    'long and foreign names': [
      { job: long, instance: long, version: long, checks: { [long]: [50, long, 9] } },
      { job: 'خدمة', instance: '\u202Eשלום', checks: { '<b>': [30, '"><script>alert(1)</script>', 9] } },
    ],
  };

  test.each(chosen(Object.entries(fleets), 'a rollout that goes wrong', 'long and foreign names'))(
    '%s: in every view axe finds nothing and nothing is cut off',
    async (_, fleet) => {
      const { url } = await page(typeof fleet === 'function' ? fleet : answering(pointsOf(fleet)));
      // Without a script, as it is made.
      const shown = await open(`${url}?still`);
      await shown.evaluate(() => {
        for (const part of document.querySelectorAll('details')) part.open = true;
      });
      expect(await troubles(shown)).toEqual([]);
      // Chromium tells of the status of the page itself.
      if (fleet === down) expect(problems.splice(0)).toEqual([expect.stringContaining('503')]);
    },
  );

  test('a thousand instances: the sick are in sight, the others folded in', async () => {
    const { url } = await page(answering(pointsOf(thousand())));
    const shown = await open(url, { javaScriptEnabled: false });
    expect(await shown.locator('h1').innerText()).toContain('14 unhealthy');
    expect(await shown.locator('tbody.failing:visible').count()).toBe(14);
    expect(await shown.locator('tbody:visible').count()).toBe(19);
    expect(await shown.locator('tbody').count()).toBe(1000);
    // The sick ones come first.
    expect(await shown.locator('section').first().locator('tbody.failing').count()).toBeGreaterThan(0);
    await shown.locator('summary').first().click();
    expect(await shown.locator('tbody:visible').count()).toBeGreaterThan(19);
  });

  test('a link leads to one service, unfolded, and another stops the page', async () => {
    const { url } = await page(answering(pointsOf(shop)));
    const shown = await open(url);
    await shown.getByRole('link', { name: 'shop' }).click();
    expect(await shown.locator('section:not(#messages)').count()).toBe(1);
    expect(await shown.getByText('10.0.0.1:8000').isVisible()).toBe(true);
    await shown.getByText('Explain health.E001').click();
    expect(await shown.locator('#messages').innerText()).toContain('Cannot connect to the database');
    await shown.getByRole('link', { name: 'stop' }).click();
    expect(await shown.getByText('paused').isVisible()).toBe(true);
    expect(await shown.locator('section:not(#messages)').count()).toBe(1);
    await shown.getByRole('link', { name: 'all services' }).click();
    expect(await shown.locator('section:not(#messages)').count()).toBe(2);
  });

  test('comes anew by itself, marks what is old, and recovers', async () => {
    const well = answering(pointsOf(shop));
    const { url, fake } = await page(well, 1000);
    const shown = await open(url, { javaScriptEnabled: false });
    expect(await shown.locator('.stale').count()).toBe(0);
    fake.handler = down;
    await shown.locator('.stale').waitFor();
    expect(await shown.getByText('10.0.0.3:8000').isVisible()).toBe(true);
    fake.handler = well;
    await shown.locator('.stale').waitFor({ state: 'detached' });
  });
});
