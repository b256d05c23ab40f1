import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../test/core/waiting.js';
import { canStart, startService } from '../../../test/services/index.js';
import { lifesignCli } from '../run.js';
import { type Rolled, serviceOf } from './rollout.js';

const old = '1111111111111111111111111111111111111111';
const fresh = '2222222222222222222222222222222222222222';

describe.skipIf(!canStart('haproxy'))('four instances behind HAProxy, rolled one after the other', () => {
  const instances: Rolled[] = [];
  let proxy: Awaited<ReturnType<typeof startService>>;

  beforeAll(async () => {
    for (let count = 0; count < 4; count += 1) instances.push(await serviceOf(old));
    proxy = await startService('haproxy', { args: instances.map(({ port }) => `127.0.0.1:${port}`) });
    await until(async () => {
      const csv = await (await fetch(`${proxy.url}/haproxy-stats;csv`)).text();
      return csv.split('\n').filter((line) => /^web,s\d,.*,UP,.*L7OK/.test(line)).length === 4;
    });
  });
  afterAll(async () => {
    await proxy.stop();
    for (const instance of instances) instance.close();
  });

  const wait = (timeout: string, holdFor = '5s') =>
    lifesignCli(['wait', proxy.url, '--commit', fresh.slice(0, 8), '--for', holdFor, '--timeout', timeout]);

  test('one stuck on the old build: 1, and the build is named with how often it answered', async () => {
    for (const instance of instances.slice(1)) instance.commit = fresh;
    const { code, stdout } = await wait('12s');
    expect(code).toBe(1);
    expect(stdout).toContain(`0 of 1: ${proxy.url} still runs ${old}\n`);
    expect(stdout).toMatch(new RegExp(`✗ .*still runs ${old}; .*${old} answered \\d+ times?`));
  });

  test('asked itself, the one that is stuck is named', async () => {
    const urls = instances.map(({ url }) => url);
    const args = ['wait', ...urls, '--commit', fresh, '--for', '0', '--timeout', '3s'];
    const { code, stdout } = await lifesignCli(args);
    expect(code).toBe(1);
    expect(stdout).toContain(`3 of 4: ${instances[0]?.url} still runs ${old}\n`);
  });

  test('done once the last one is rolled, and not before', async () => {
    for (const instance of instances) instance.commit = old;
    let last = 0;
    const rolling = (async () => {
      for (const instance of instances) {
        await new Promise((resolve) => setTimeout(resolve, 1500));
        instance.commit = fresh;
        last = performance.now();
      }
    })();
    const { code, stdout } = await wait('60s', '6s');
    await rolling;
    expect(code).toBe(0);
    expect(stdout).toContain(`done after `);
    // The time began anew with each answer of an old one.
    expect(performance.now() - last).toBeGreaterThan(2000);
  });
});
