import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pause, until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { whole } from '../whole.js';
import { compiled } from '../compiled/index.js';

const file = compiled(new URL('keep-alive-app.ts', import.meta.url));

/** The status of an answer to a client of its own: HAProxy leaves it to a client that keeps its connection to repeat a lost request. */
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const over = (answer: IncomingMessage) => answer.resume().on('end', () => resolve(answer.statusCode));
    get(url, { agent: false }, over).on('error', reject);
  });

/** The answers to requests through HAProxy, each sent while the service computes and the time of its idle connection is up. */
async function statuses(count: number, env: object): Promise<(number | undefined)[]> {
  const app = fork(file, { env: { ...process.env, ...env } });
  onTestFinished(() => void app.kill('SIGKILL'));
  const [port]: unknown[] = await once(app, 'message');
  const proxy = await startService('haproxy', { args: [`127.0.0.1:${String(port)}`, 'http-reuse always'] });
  onTestFinished(() => proxy.stop());
  const ask = () => statusOf(`${proxy.url}/orders`);
  await until(async () => (await ask()) === 200);
  const seen: (number | undefined)[] = [];
  while (seen.length < count && !seen.includes(502)) {
    await pause(850 + 10 * (seen.length % 8));
    seen.push(await ask());
  }
  return seen;
}

describe.skipIf(!canStart('haproxy'))('a busy service behind HAProxy, which reuses its connections', () => {
  it.runIf(whole)('loses requests if the service closes idle connections first', async () => {
    expect(await statuses(40, {})).toContain(502);
  });

  it('loses none with HEALTH_KEEP_ALIVE above the idle timeout of the balancer', async () => {
    const seen = await statuses(whole ? 100 : 4, { HEALTH_KEEP_ALIVE: '65s' });
    expect(new Set(seen)).toEqual(new Set([200]));
  });
});
