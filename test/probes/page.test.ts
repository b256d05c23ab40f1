import { expect, it, vi } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { createHandler } from 'lifesign';

it('the health page says whose trouble it is beside the check, as soon as that is known', async () => {
  const handle = createHandler({ probes: true, page: true, logger: false, publicMessages: false });
  const { health } = handle;
  health.check('third_party', () => [new ErrorMessage('secret text', { id: 'a.E1' })], { scope: 'shared' });
  health.check('fine', () => []);
  const bodyOf = async (target: string) => (await handle('GET', target, {}))?.body ?? '';
  await health.heartbeat();
  await vi.waitFor(async () => {
    // The probes are loaded by now.
    await bodyOf('/readyz');
    const { checks } = JSON.parse(await bodyOf('/__health__.json'));
    expect(checks).toEqual([
      expect.objectContaining({ name: 'third_party', scope: 'shared', evidence: 'by its scope' }),
      expect.not.objectContaining({ scope: expect.anything() }),
    ]);
  }, 30_000);
  const html = await bodyOf('/__health__');
  expect(html).toContain('<b>shared</b>: ');
  expect(html).toContain('by its scope');
  expect(html).not.toContain('secret text');
  health.close();
});
