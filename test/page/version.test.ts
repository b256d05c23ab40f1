import { describe, expect, test } from 'vitest';
import { createHandler } from 'lifesign';
import { watched } from './watched.js';

/** What the page and its JSON show of a version. */
async function shown(version: object) {
  const handle = createHandler({ page: true, logger: false });
  handle.health.versionCallback(() => version as never);
  const bodyOf = async (path: string) => (await handle('GET', path, {}))?.body ?? '';
  const [html, json] = [await bodyOf('/__health__'), await bodyOf('/__health__.json')];
  handle.health.close();
  const { version: told }: { version: object } = JSON.parse(json);
  return { html, json, told };
}

describe('the version on the page', () => {
  test('secrets are removed as everywhere, and no link has a user, a query or a fragment', async () => {
    const text = 'https://ann:hunter2@ci.example/job/7?token=hunter2#part';
    const { html, told } = await shown({ build: text, homepage: text, more: { list: [text] } });
    expect(html + JSON.stringify(told)).not.toContain('hunter2');
    expect(html).toContain('href="https://ci.example/job/7"');
  });

  test('is bounded, whatever was written into it', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field ${index}`, 'x']));
    const { told, html } = await shown(many);
    expect(Object.keys(told).length).toBe(20);
    expect(html.length).toBeLessThan(60_000);
    expect((await shown({ version: '7', deep: JSON.parse(deep) })).told).toEqual({
      version: '7',
      deep,
    });
    const long = await shown({ text: 'x'.repeat(900_000), lists: Array(9000).fill(Array(9).fill('x')) });
    expect(JSON.stringify(long.told).length).toBeLessThan(10_000);
  });

  test('a cyclic version, or one with a hostile getter, breaks nothing', async () => {
    const { origin, health, close } = await watched([]);
    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const hostile = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    for (const version of [cyclic, hostile, { big: 1n }]) {
      health.versionCallback(() => version as never);
      expect((await fetch(`${origin}/__version__`)).status).toBe(500);
      expect((await fetch(`${origin}/__health__`)).status).toBe(200);
      expect((await fetch(`${origin}/__health__.json`)).status).toBe(200);
    }
    await close();
  });
});
