import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Critical, Error as ErrorMessage, Warning } from 'lifesign/checks';
import { executablePath, inBrowser, shows, stopClock, violations } from './in-browser.js';

describe.skipIf(executablePath === undefined)('the health page in a browser', () => {
  const { start, open, problems } = inBrowser();

  test('says at the top what is wrong, since when and where to look', async () => {
    const { page, say, beat } = await start(['disk', 'db']);
    await beat(2);
    say({ db: [new ErrorMessage('No route to 10.0.0.7', { id: 'a.E1', hint: 'Call Ann' })] });
    await beat(2);
    const shown = await open(page);
    await shown.locator('#link.live').waitFor();
    const top = await shown.locator('header').innerText();
    expect(top).toMatch(/error\s+1 of 2 checks is failing\s+db:? No route to 10\.0\.0\.7/);
    expect(top).toMatch(/for \d+ s, since .+\d\d:\d\d/);
    expect(top).toContain('the heartbeat answers 500');
    expect(await shown.title()).toBe('✕ error · This service');
    const size = await shown
      .locator('h1 span')
      .evaluate((word) => parseFloat(getComputedStyle(word).fontSize));
    expect(size).toBeGreaterThan(100);
    const rows = shown.locator('tbody');
    expect(await rows.first().innerText()).toMatch(
      /error[^]*db[^]*No route to 10\.0\.0\.7[^]*What to do Call Ann/,
    );
    expect(await rows.first().locator('svg').getAttribute('aria-label')).toBe(
      'Last 4 results: 2 ok, 2 error',
    );
    await shown.locator('header a').click();
    expect(new URL(shown.url()).hash).toBe('#check-0');
    await shown.locator('summary').first().click();
    expect(await shown.locator('pre').first().innerText()).toContain('"a.E1": "No route to 10.0.0.7"');
  });

  test('follows the heartbeats: fails and recovers before the eyes, and keeps what was opened and focused', async () => {
    const { page, say, beat, runs } = await start(['db']);
    say({ db: [new Warning('Slow', { id: 'a.W1' })] });
    await beat();
    const shown = await open(page, {}, stopClock);
    await shown.locator('#link.live').waitFor();
    await shown.locator('summary').click();
    await shown.locator('summary').focus();
    const ran = runs();

    say({ db: [new ErrorMessage('Gone', { id: 'a.E1' })] });
    await beat();
    await shows(shown, shown.locator('h1', { hasText: 'error' }));
    expect(await shown.locator('#said').textContent()).toBe(
      'Status is now error. The only check is failing.',
    );
    expect(await shown.title()).toContain('error');
    const opened = shown.locator('details[open]');
    expect(await opened.count()).toBe(1);
    expect(await opened.locator('pre').textContent()).toContain('Slow');
    expect(await opened.locator('summary').evaluate((part) => part === document.activeElement)).toBe(true);

    say({});
    await beat();
    await shows(shown, shown.locator('h1', { hasText: 'ok' }));
    expect(await shown.locator('header').innerText()).toMatch(/before that error for \d+ s/);
    expect(await shown.locator('.changes > li').first().innerText()).toMatch(
      /error[^]*→[^]*ok[^]*db recovered/,
    );
    expect(runs()).toBe(ran + 2);
  });

  test('says that it is disconnected, tries again and comes back with the news', async () => {
    const { page, say, beat, close, reopen } = await start(['db']);
    await beat();
    const shown = await open(page, {}, stopClock);
    await shown.locator('#link.live').waitFor();
    await close();
    await shows(shown, shown.locator('#link.lost', { hasText: 'disconnected, retrying in' }));
    expect(await violations(shown)).toEqual([]);
    say({ db: [new Critical('Gone', { id: 'a.C1' })] });
    await beat();
    await reopen();
    await shows(shown, shown.locator('h1', { hasText: 'critical' }));
    await shown.locator('#link.live').waitFor();
    // The browser itself tells of the connection it lost.
    const refused = problems
      .splice(0)
      .filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY/.test(text));
    expect(refused).toEqual([]);
  });

  test('links to the first heartbeat, and shows its result', async () => {
    const { page } = await start(['db']);
    const shown = await open(page);
    await shown.locator('#link.live').waitFor();
    const [answer] = await Promise.all([
      shown.waitForEvent('popup'),
      shown.getByText('Run the first heartbeat').click(),
    ]);
    await answer.waitForURL('**/__heartbeat__');
    await answer.close();
    await shown.locator('h1', { hasText: 'ok' }).waitFor();
  });

  test('turns grey by itself when no heartbeat comes any more', async () => {
    const { page, beat } = await start(['db']);
    await beat();
    const shown = await open(page, {}, stopClock);
    await shown.locator('#link.live').waitFor();
    const band = () => shown.locator('header').evaluate((part) => getComputedStyle(part).backgroundColor);
    const green = await band();
    expect(await shown.locator('.stale').count()).toBe(0);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    await shows(shown, shown.locator('.stale', { hasText: 'last heartbeat 1 min ago' }));
    expect(await band()).not.toBe(green);
    expect(await violations(shown)).toEqual([]);
  });

  test('works without JavaScript, as a table', async () => {
    const { page, say, beat } = await start(['db', 'disk']);
    say({ db: [new ErrorMessage('Gone', { id: 'a.E1', hint: 'Call Ann' })] });
    await beat();
    const shown = await open(page, { javaScriptEnabled: false });
    expect(await shown.locator('#link').innerText()).toBe('reload to update');
    expect(await shown.locator('table').innerText()).toMatch(/db[^]*Gone[^]*Call Ann[^]*disk/);
    expect(await shown.locator('header').innerText()).toMatch(/since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    await shown.locator('summary').click();
    expect(await shown.locator('pre').innerText()).toContain('Gone');
  });

  test('runs nothing of what others wrote', async () => {
    const evil = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(2)>',
      "'><svg onload=alert(3)>",
      '</title></style></script><script>alert(4)</script>',
      '<a href="javascript:alert(5)">x</a>',
      '{{constructor.constructor("alert(6)")()}}',
    ];
    const version = {
      version: evil[0],
      commit: evil[1],
      source: 'javascript:alert(7)',
      build: `https://x.example/"><script>alert(8)</script>`,
      [evil[3] ?? '']: { deep: evil },
    };
    const { page, say, beat } = await start(evil, { loggerName: evil.join(' ') }, version);
    const said = Object.fromEntries(
      evil.map((text) => [
        text,
        evil.map((other) => new ErrorMessage(text + other, { id: other, hint: text })),
      ]),
    );
    await beat();
    say(said);
    await beat();
    const shown = await open(page);
    await shown.locator('#link.live').waitFor();
    say({});
    await beat();
    await shown.locator('h1', { hasText: 'ok' }).waitFor();
    say(said);
    await beat();
    await shows(shown, shown.locator('h1', { hasText: 'error' }));
    expect(await shown.locator('script, img, svg[onload], [onerror]').count()).toBe(1);
    expect(await shown.locator('a[href^="javascript"]').count()).toBe(0);
    expect(await shown.locator('tbody .name').first().innerText()).toBe(evil[0]);
  });

  test('is walked through with the keyboard', async () => {
    const { page, say, beat } = await start(['db'], {}, { source: 'https://git.example/acme' });
    say({ db: [new ErrorMessage('Gone', { id: 'a.E1' })] });
    await beat();
    const shown = await open(page);
    await shown.locator('#link.live').waitFor();
    const stops: string[] = [];
    for (let stop = 0; stop < 4; stop += 1) {
      await shown.keyboard.press('Tab');
      stops.push(await shown.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    expect(stops).toEqual(['db', 'Report at that time', 'git.example/acme', 'JSON']);
    const outline = await shown.evaluate(
      () => getComputedStyle(document.activeElement ?? document.body).outlineStyle,
    );
    expect(outline).toBe('solid');
  });

  test('is served under the prefix of a proxy: its links and its data stay there', async () => {
    const { origin, beat } = await start(['db']);
    await beat();
    const proxy = createServer((req, res) => {
      // The browser itself asks for the icon of a JSON document, sooner or later.
      if (req.url === '/favicon.ico') {
        res.writeHead(204).end();
        return;
      }
      request(origin + (req.url ?? '').replace('/team', ''), { method: req.method ?? 'GET' }, (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      }).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const shown = await open(`http://127.0.0.1:${port}/team/__health__/`);
    await shown.locator('#link.live').waitFor();
    await shown.locator('footer a', { hasText: 'JSON' }).click();
    expect(shown.url()).toBe(`http://127.0.0.1:${port}/team/__health__.json`);
    // The address without the slash is what the redirect leads to.
    const elsewhere = problems
      .splice(0)
      .filter((url) => !url.startsWith(`http://127.0.0.1:${port}/team/__health__`));
    expect(elsewhere).toEqual([]);
    // Chromium may never close a page whose document is still being loaded.
    await shown.waitForLoadState();
    await shown.goto('about:blank');
    problems.splice(0);
    proxy.close().closeAllConnections();
  });

  test('a page in a hidden tab asks for nothing, and comes back with the news', async () => {
    const { page, beat } = await start(['db']);
    const asked: string[] = [];
    const shown = await open(page, {}, async (fresh) => {
      await stopClock(fresh);
      fresh.on('request', (request) => asked.push(request.url()));
    });
    await shown.locator('#link.live').waitFor();
    const hide = (hidden: boolean) =>
      shown.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    const before = asked.length;
    await shown.clock.runFor(60_000);
    expect(asked).toHaveLength(before);
    await beat();
    await hide(false);
    await shown.locator('h1', { hasText: 'ok' }).waitFor();
  });

  test('pages in sight run no check, and no reload does', async () => {
    const { page, beat, runs } = await start(['db']);
    await beat();
    const shown = await Promise.all(Array.from({ length: 5 }, () => open(page)));
    await Promise.all(shown.map((one) => one.locator('#link.live').waitFor()));
    await shown[0]?.reload();
    await shown[0]?.locator('#link.live').waitFor();
    expect(runs()).toBe(1);
  });
});
