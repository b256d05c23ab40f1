import { source as axe } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { until } from '../core/waiting.js';
import { watched, type Watched } from './watched.js';

/** The browser of these tests; undefined where there is none. */
export const executablePath: string | undefined = inject('chromium');

/** What a test in a browser works with. Everything is closed after each test. */
export interface InBrowser {
  readonly start: typeof watched;
  /** Opens a page; `prepare` is done to it before. */
  readonly open: (
    url: string,
    options?: BrowserContextOptions,
    prepare?: (page: Page) => Promise<void>,
  ) => Promise<Page>;
  /** Everything the page logged, threw, asked elsewhere for or was refused by its own policy; must be empty in the end. */
  readonly problems: string[];
}

/** Launches the browser for the tests of a `describe`. */
export function inBrowser(): InBrowser {
  let browser: Browser;
  let service: Watched | undefined;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    await service?.close();
    service = undefined;
    expect(problems.splice(0)).toEqual([]);
  });

  return {
    problems,
    async start(...args) {
      service = await watched(...args);
      return service;
    },
    async open(url, options = {}, prepare = async () => {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      page.on('console', (message) => problems.push(message.text()));
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('dialog', (dialog) => {
        problems.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
          problems.push(request.url());
      });
      await prepare(page);
      await page.goto(url);
      return page;
    },
  };
}

/** Waits for something to show; the time of the page, opened with `stopClock`, goes on by seconds meanwhile. */
export async function shows(page: Page, what: Locator): Promise<void> {
  await until(async () => {
    if (await what.isVisible()) return true;
    await page.clock.runFor(2000);
    return what.isVisible();
  });
}

export const stopClock = (page: Page): Promise<void> => page.clock.install();

/** The page as people have it before them: of each view what axe finds, and whether something is cut off; nothing where all is well. */
export async function troubles(page: Page, views = Object.keys(looks).length): Promise<string[]> {
  const found: string[] = [];
  for (const [name, { size, colorScheme }] of Object.entries(looks).slice(0, views)) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    found.push(...(await violations(page)).map((violation) => `${name}: ${violation}`));
    const cut = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth > clientWidth;
    });
    if (cut) found.push(`${name}: something is cut off`);
  }
  return found;
}

const wide = { width: 1280, height: 900 };
const looks = {
  'wide and light': { size: wide, colorScheme: 'light' },
  'wide and dark': { size: wide, colorScheme: 'dark' },
  'on a phone': { size: { width: 320, height: 640 }, colorScheme: 'light' },
} as const;

/** What axe finds, in words. It is run outside of the page's policy, which would refuse it. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value;
}
