import { describe, expect, test } from 'vitest';
import { Critical, Error as ErrorMessage, Info, Warning } from 'lifesign/checks';
import { executablePath, inBrowser, troubles, violations } from './in-browser.js';
import { chosen } from '../whole.js';

describe.skipIf(executablePath === undefined)('the health page for everybody', () => {
  const { start, open } = inBrowser();

  const long = 'an_unbroken_name_that_goes_on_'.repeat(12);
  const states = {
    'no heartbeat yet': { names: ['db'], beats: 0, said: {} },
    ok: { names: ['db', 'disk'], beats: 5, said: {} },
    info: { names: ['db'], beats: 5, said: { db: [new Info('14 mails wait', { id: 'a.I1' })] } },
    warning: { names: ['db'], beats: 5, said: { db: [new Warning('Slow', { id: 'a.W1', hint: 'Wait' })] } },
    error: { names: ['db', 'disk'], beats: 5, said: { db: [new ErrorMessage('Gone', { id: 'a.E1' })] } },
    critical: { names: ['db'], beats: 5, said: { db: [new Critical('Gone', { id: 'a.C1', hint: 'Run' })] } },
    'a message of lifesign': {
      names: ['db'],
      beats: 5,
      said: { db: [new ErrorMessage('Refused', { id: 'health.E001', hint: 'Is it up?' })] },
    },
    'no checks': { names: [], beats: 3, said: {} },
    '200 checks': { names: Array.from({ length: 200 }, (_, index) => `check_${index}`), beats: 61, said: {} },
    'long texts': {
      names: [long, 'b'],
      beats: 3,
      said: {
        [long]: [new ErrorMessage(`${long} ${'and more words '.repeat(200)}`, { id: long, hint: long })],
      },
    },
    'right to left': {
      names: ['فحص_قاعدة_البيانات'],
      beats: 3,
      said: {
        فحص_قاعدة_البيانات: [
          new ErrorMessage('لا يمكن الاتصال بقاعدة البيانات', { id: 'א.E1', hint: 'שלום \u202E' }),
        ],
      },
    },
  };

  test.each(chosen(Object.entries(states), 'critical', 'long texts', 'right to left'))(
    '%s: in every view axe finds nothing and nothing is cut off',
    async (_, { names, beats, said }) => {
      const { page, say, beat } = await start(names);
      if (beats > 0) await beat();
      say(said);
      await beat(Math.max(0, beats - 1));
      const shown = await open(page);
      await shown.locator('#link.live').waitFor();
      await shown.evaluate(() => {
        for (const part of document.querySelectorAll('details')) part.open = true;
      });
      // axe takes long over thousands of elements.
      expect(await troubles(shown, names.length > 100 ? 1 : 3)).toEqual([]);
    },
  );

  test('axe would find something', async () => {
    const { page } = await start([]);
    const shown = await open(page);
    await shown.locator('#link.live').waitFor();
    await shown.evaluate(() => {
      document.querySelector('main')?.append(document.createElement('button'));
    });
    expect((await violations(shown)).join()).toContain('button-name');
  });
});
