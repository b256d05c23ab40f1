import { expect, test } from 'vitest';
import { ignoreHealthRequests } from 'lifesign/otel';
import { makeHealth } from '../metrics/make.js';

const ignored = (url: string | undefined) => ignoreHealthRequests({ url });

test('the three endpoints need no Health to be known, with any query and a slash at the end', () => {
  for (const path of ['/__version__', '/__heartbeat__', '/__lbheartbeat__']) {
    expect([path, `${path}/`, `${path}?a=1`, `http://shop.example${path}`].map(ignored)).toEqual(
      Array(4).fill(true),
    );
  }
  for (const url of [
    undefined,
    '',
    '/',
    '*',
    '/orders',
    '/__heartbeat__x',
    '/x/__heartbeat__',
    '//__heartbeat__',
    '/%5f_heartbeat__',
  ]) {
    expect(ignored(url)).toBe(false);
  }
});

test('other paths are known from the moment a Health has them', () => {
  const own = { page: { path: '/status-of-otel' }, metrics: { path: '/metrics-of-otel' } };
  const paths = ['/status-of-otel', '/metrics-of-otel', '/__heartbeat__/payments-of-otel'];
  expect(paths.map(ignored)).toEqual([false, false, false]);
  const { health } = makeHealth({ ...own, groups: { 'payments-of-otel': ['storage'] } });
  expect(paths.map(ignored)).toEqual([true, true, true]);
  health.close();
});

test('those under a prefix are known as well', () => {
  const paths = ['/otel-shop/__heartbeat__', '/otel-shop/__heartbeat__/', '/otel-shop/livez?verbose'];
  expect(paths.map(ignored)).toEqual([false, false, false]);
  const { health } = makeHealth({ prefix: '/otel-shop', probes: true });
  expect(paths.map(ignored)).toEqual([true, true, true]);
  health.close();
});
