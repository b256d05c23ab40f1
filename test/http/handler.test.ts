import { describe, expect, test } from 'vitest';
import { checks, createHandler } from 'lifesign';

describe('createHandler', () => {
  test('answers the endpoints and leaves the rest to the application', async () => {
    const handle = createHandler({ logger: false, versionPath: '/nowhere' });
    handle.health.check('storage', () => [new checks.Warning('Slow', { id: 'a.W1' })]);
    const ask = (method: string, target: string) => handle(method, target, undefined);
    expect(await ask('GET', '/__heartbeat__')).toMatchObject({
      status: 500,
      body: expect.stringContaining('"a.W1":"Slow"'),
    });
    expect(await ask('HEAD', '/__heartbeat__?x=1')).toMatchObject({ status: 500, body: '' });
    expect(ask('GET', '/__lbheartbeat__')).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await ask('GET', '/__version__')).toMatchObject({ status: 404 });
    expect(ask('POST', '/__heartbeat__')).toMatchObject({ status: 405 });
    for (const target of ['/', '/__heartbeat__x', '//__heartbeat__', '*', '', '/__health__']) {
      expect(ask('GET', target)).toBeUndefined();
    }
    handle.health.close();
  });

  test('hands the request to details, whatever it is', async () => {
    const handle = createHandler<{ readonly role: string }>({
      logger: false,
      details: ({ role }) => role === 'operator',
    });
    handle.health.check('storage', () => []);
    const body = async (role: string) => (await handle('GET', '/__heartbeat__', { role }))?.body;
    expect(await body('stranger')).toBe('{"status":"ok"}');
    expect(await body('operator')).toBe('{"status":"ok","checks":{"storage":"ok"},"details":{}}');
  });

  test('takes the options of every Health, and refuses what it cannot do', () => {
    expect(() => createHandler({ healthPort: 9000 })).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
    );
    expect(() => Reflect.apply(createHandler, undefined, [{ nonsense: 1 }])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_UNKNOWN' }),
    );
    expect(() => Reflect.apply(createHandler, undefined, [{ db: 5 }])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CLIENT' }),
    );
  });
});
