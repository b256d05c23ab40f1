import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { executablePath, troubles } from '../page/in-browser.js';

const site = inject('site');

describe.skipIf(executablePath === undefined)('the site in a browser', () => {
  let browser: Browser;
  const elsewhere: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  async function open(path: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    page.on('request', (request) => {
      if (!/^(?:data:|http:\/\/127\.0\.0\.1:)/.test(request.url())) elsewhere.push(request.url());
    });
    await page.goto(site + path, { waitUntil: 'networkidle' });
    return page;
  }

  const looked = ['', 'getting-started', 'checks', 'errors', 'probes', 'incidents', 'api/', 'nowhere'];
  test.each(looked)('/%s: axe finds nothing, nothing is cut off, no other host is asked', async (path) => {
    const page = await open(path);
    expect(await troubles(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    // Code scrolls within its block.
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(wide).toBe(0);
    expect(elsewhere).toEqual([]);
    await page.context().close();
  });

  test.each([
    ['health.E001', 'health.E001'],
    ['draining', 'drain'],
  ])('search finds %s', async (words, found) => {
    const page = await open('getting-started');
    await page.locator('.DocSearch-Button').click();
    await page.locator('#localsearch-input').fill(words);
    const first = page.locator('#localsearch-list a').first();
    await first.waitFor();
    expect((await page.locator('#localsearch-list').innerText()).toLowerCase()).toContain(
      found.toLowerCase(),
    );
    await first.click();
    await expect.poll(() => page.locator('main').innerText()).toContain(found);
    await page.context().close();
  });

  test('tabs change, and the copy button copies what is shown', async () => {
    const page = await open('getting-started');
    await page.locator('label', { hasText: 'pnpm' }).click();
    const block = page.locator('.vp-code-group').first().locator('.active');
    expect(await block.locator('code').innerText()).toBe('pnpm add lifesign');
    await block.hover();
    await block.locator('button.copy').click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('pnpm add lifesign');
    await page.context().close();
  });
});
