import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { fromVariables } from '../../src/config/variables.js';

/** What the variables give to an application with these clients, and which mistakes were told. */
async function read(env: Readonly<Record<string, string>>, given = {}) {
  const told: unknown[] = [];
  const found = await fromVariables(env, given, tmpdir(), (thrown) => told.push(thrown));
  return { ...found, told };
}

const wrong = { DATABASE_URL: 'mongodb://h', REDIS_URL: 'http://h', HEALTH_HTTP_CHECKS: 'billing' };

test('each mistake is told, and costs only what its own variable would have given', async () => {
  const { clients, checks, found, close, told } = await read(wrong);
  expect({ clients, checks, found, close }).toEqual({
    clients: { db: undefined, redis: undefined },
    checks: {},
    found: { DATABASE_URL: undefined, REDIS_URL: undefined, HEALTH_HTTP_CHECKS: '' },
    close: [],
  });
  expect(told).toEqual(
    Object.keys(wrong).map((name) =>
      expect.objectContaining({ code: 'LIFESIGN_URL', message: expect.stringContaining(`${name} is `) }),
    ),
  );
  const partly = await read({ ...wrong, HEALTH_HTTP_CHECKS: 'billing=http://billing,http://auth' });
  expect([partly.found['HEALTH_HTTP_CHECKS'], partly.told.length]).toEqual(['billing, auth', 2]);
});

test.each([
  ['postgres//h/shop', 'DATABASE_URL is "postgres//h/shop"; it must be a URL that starts with postgres:'],
  ['postgres//app:pl4nted@h/shop?password=pl4nted', 'DATABASE_URL is "postgres//***@h/shop"'],
  ['app:pl@nted:pl4nted@h', 'DATABASE_URL is "app:…"'],
  ['pl4nted', 'DATABASE_URL is ""'],
  ['postgres//app:pl4nted?x@h/shop', 'DATABASE_URL is "postgres//'],
  ['//app:pl4nted@h', 'DATABASE_URL is "//***@h"'],
])('a URL without its scheme is shown as it was given, without its secret: %s', async (url, text) => {
  const { told } = await read({ DATABASE_URL: url });
  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining(text) })]);
  expect(String(told)).not.toMatch(/pl4nted|nted:/);
});

test('what the application has clients for is not opened again; what is not set gives nothing', async () => {
  const { clients, told } = await read({ ...wrong, HEALTH_HTTP_CHECKS: '' }, { db: {}, redis: {} });
  expect([clients, told]).toEqual([{ db: undefined, redis: undefined }, []]);
  expect((await read({})).told).toEqual([]);
});

test('a mistake that may not be ignored is thrown', async () => {
  const refuse = (thrown: unknown) => {
    throw thrown;
  };
  for (const [name, value] of Object.entries(wrong)) {
    await expect(fromVariables({ [name]: value }, {}, tmpdir(), refuse)).rejects.toThrow(`${name} is `);
  }
});
