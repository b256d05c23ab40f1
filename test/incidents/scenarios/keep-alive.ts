// A load balancer reuses a connection that the service closes at that moment.
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Instance } from '../../faults/fleet/instance.js';
import { haproxy } from '../../services/haproxy.js';
import { freePort } from '../../services/port.js';
import type { Play } from '../list.js';
import { causeIn, seconds } from '../shop.js';

const app = join(import.meta.dirname, '../apps/quiet.mjs');

/** The status of an answer to a client of its own: HAProxy leaves it to a client that keeps its connection to repeat a lost request. */
const statusOf = (url: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const over = (answer: IncomingMessage) => answer.resume().on('end', () => resolve(answer.statusCode));
    get(url, { agent: false, timeout: 10_000 }, over).on('error', reject);
  });

/** The line of the log about it. */
const adviceIn = (log: string) => /"msg":"(The server closes an idle connection[^:"]*)/.exec(log)?.[1] ?? '';

export const play: Play = async (setUp, quick) => {
  let log = '';
  let noticed: number | undefined;
  const began = performance.now();
  const output = (text: string) => {
    log += text;
    if (adviceIn(log) !== '') noticed ??= performance.now() - began;
  };
  const wiring = { name: setUp, ready: '/', live: '/', args: [app, setUp], output };
  const instance = new Instance(wiring, await freePort(), await freePort(), {});
  await instance.start();
  const args = ['/__lbheartbeat__', instance.address, 'http-reuse always'];
  const proxy = await haproxy.start({ args }).catch(async (error: unknown) => {
    await instance.stop();
    throw error;
  });
  try {
    const seen: (number | undefined)[] = [];
    for (const until = performance.now() + 30_000; (await statusOf(proxy.url)) !== 200; await sleep(100))
      if (performance.now() > until) throw new Error('HAProxy has no server');
    const count = quick === true ? 6 : 20;
    while (seen.length < count) {
      seen.push(await statusOf(`${proxy.url}/orders`));
      await sleep(850 + 10 * (seen.length % 8));
    }
    const lost = seen.filter((status) => status !== 200).length;
    const recovered = lost === 0 ? 'nothing to recover from' : 'no: they continue';
    const advice = adviceIn(log);
    const said = advice === '' ? 'nothing' : causeIn(advice);
    const when = noticed === undefined ? 'never' : seconds(noticed);
    return { noticed: when, lost, sent: seen.length, restarts: instance.restarts, recovered, said };
  } finally {
    await proxy.stop();
    await instance.stop();
  }
};
