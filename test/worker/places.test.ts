import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { resolvePlaces } from '../../src/worker/places.js';
import { Health } from 'lifesign/worker';
import { directory } from './make-worker.js';

beforeEach(() => {
  for (const name of ['PORT', 'HOST', 'HEALTH_PORT', 'HEALTH_FILE']) vi.stubEnv(name, '');
});
afterEach(() => void vi.unstubAllEnvs());

const refusal = (code: string, ...words: readonly string[]) =>
  expect.objectContaining({
    code: `LIFESIGN_${code}`,
    message: expect.toSatisfy(
      (text: string) => words.every((word) => text.includes(word)),
      words.join(' … '),
    ),
  });

describe('where a worker can be asked', () => {
  test('on 8000 of every interface; PORT, HEALTH_PORT and HOST say otherwise; the option wins', () => {
    expect(resolvePlaces({}).tcp).toEqual({ host: '0.0.0.0', port: 8000 });
    vi.stubEnv('HOST', '127.0.0.1');
    vi.stubEnv('PORT', '9001');
    expect(resolvePlaces({}).tcp).toEqual({ host: '127.0.0.1', port: 9001 });
    expect(resolvePlaces({ port: 0 }).tcp).toEqual({ host: '127.0.0.1', port: 0 });
    vi.stubEnv('PORT', '');
    vi.stubEnv('HEALTH_PORT', '9002');
    expect(resolvePlaces({}).tcp?.port).toBe(9002);
    // One port by two names is one port.
    vi.stubEnv('PORT', '9002');
    expect(resolvePlaces({}).tcp?.port).toBe(9002);
  });

  test('a file takes the place of the port, and may be beside it', () => {
    const file = join(directory(), 'healthy');
    vi.stubEnv('PORT', '9001');
    expect(resolvePlaces({ file })).toEqual({ tcp: undefined, file });
    expect(resolvePlaces({ file, port: 1234 }).tcp?.port).toBe(1234);
    vi.stubEnv('PORT', '');
    vi.stubEnv('HEALTH_PORT', '9002');
    expect(resolvePlaces({ file }).tcp?.port).toBe(9002);
    vi.stubEnv('HEALTH_PORT', '');
    vi.stubEnv('HEALTH_FILE', file);
    expect(resolvePlaces({})).toEqual({ tcp: undefined, file });
  });

  test('HEALTH_PORT wins over PORT, and the option over both', () => {
    vi.stubEnv('PORT', '9001');
    vi.stubEnv('HEALTH_PORT', '9002');
    expect(resolvePlaces({}).tcp?.port).toBe(9002);
    expect(resolvePlaces({ port: 9003 }).tcp?.port).toBe(9003);
    expect(() => new Health({ healthPort: 9001 })).toThrow(
      refusal('OPTION_INVALID', 'healthPort', '{ port }'),
    );
  });

  test.each(['0x50', '-1', '65536', '80.5', 'http', ' 80'])('PORT=%s is refused', (text) => {
    vi.stubEnv('PORT', text);
    expect(() => resolvePlaces({})).toThrow(refusal('PORT', 'PORT is'));
    expect(resolvePlaces({ port: 1 }).tcp?.port).toBe(1);
    vi.stubEnv('PORT', '');
    vi.stubEnv('HEALTH_PORT', text);
    expect(() => resolvePlaces({})).toThrow(refusal('PORT', 'HEALTH_PORT is'));
  });

  test.each([-1, 65_536, 1.5, Number.NaN, '8000', null, {}])('port: %s is refused', (port) => {
    expect(() => Reflect.construct(Health, [{ port }])).toThrow(refusal('OPTION_INVALID', 'Option port'));
  });
});

describe('a path that cannot be used is refused at once, and nothing is replaced', () => {
  test('of a file: a directory, one behind a link, none to put it into', () => {
    const dir = directory();
    symlinkSync(dir, join(dir, 'link'));
    for (const path of [dir, join(dir, 'link')]) {
      expect(() => resolvePlaces({ file: path })).toThrow(
        refusal('WORKER_FILE', 'it is not a regular file', 'HEALTH_FILE'),
      );
    }
    expect(() => resolvePlaces({ file: join(dir, 'none/healthy') })).toThrow(
      refusal('WORKER_FILE', 'its directory does not exist'),
    );
    writeFileSync(join(dir, 'precious'), 'x');
    expect(() => resolvePlaces({ file: join(dir, 'precious/healthy') })).toThrow(
      refusal('WORKER_FILE', 'cannot be touched (ENOTDIR)'),
    );
    expect(() => resolvePlaces({ file: '/dev/null' })).toThrow(refusal('WORKER_FILE', 'not a regular file'));
  });

  // Root may write everywhere but here.
  test('of a file that nobody may write', () => {
    expect(() => resolvePlaces({ file: '/proc/healthy' })).toThrow(refusal('WORKER_FILE', '/proc/healthy'));
  });
});
