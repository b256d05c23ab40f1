import { describe, expect, test } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { applications, type Make } from '../http/applications.js';

const groups = { payments: ['stripe'] };
type Options = Pick<HealthOptions, 'groups' | 'checkOptions'>;

const { Hono: _, ...frameworks } = applications;

describe.each<[string, Make]>(Object.entries(frameworks))('%s', (_name, make) => {
  const start: Make = async (options, prepare) => {
    const application = await make({ ...options, logger: false }, prepare);
    await application.listen();
    return application;
  };

  test.each<[Options, string]>([
    [{ groups }, 'Group "payments" names "stripe", but no check has that name. Did you mean "strpe"?'],
    [{ checkOptions: { stripe: { timeout: 5 } } }, 'has options for "stripe"'],
  ])('%j for a check that is not registered is refused at start', async (options, message) => {
    const started = start(options, (health) => health.check('strpe', () => []));
    await expect(started).rejects.toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
    await expect(started).rejects.toThrow(message);
  });

  test('groups of checks that are registered before the start are taken', async () => {
    await start({ groups }, (health) => health.check('stripe', () => []));
  });
});
