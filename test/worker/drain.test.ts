import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { drainOnSignals, Health, type Job, type WorkerDrainOptions } from 'lifesign/worker';
import { deferred, turn } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { makeWorker } from './make-worker.js';

/** A worker that is drained without a signal, and what became of it. */
function draining(options: WorkerDrainOptions = {}, port = 0) {
  const worker = makeWorker({ probes: true, port });
  const codes: number[] = [];
  const drain = drainOnSignals(worker.health, { signals: [], exit: (code) => codes.push(code), ...options });
  onTestFinished(() => drain.stop());
  return { ...worker, drain, codes };
}

describe('draining a worker', () => {
  test('stops taking work first, answers while jobs end, then closes', async () => {
    const order: string[] = [];
    const work = deferred();
    const port = await freePort();
    const ends = {
      stop: [() => void order.push('stop')],
      onShutdown: [() => void order.push('shutdown')],
    };
    const { health, drain, codes, jobs, messages } = draining(ends, port);
    await health.listening();
    const origin = `http://127.0.0.1:${port}`;
    const job = health.job('mail', 1, async () => {
      await work.promise;
      order.push('job');
    });
    const drained = drain.start('SIGTERM');
    await turn();
    expect(order).toEqual(['stop']);
    const statusOf = async (path: string) => (await fetch(origin + path)).status;
    expect([await statusOf('/__lbheartbeat__'), await statusOf('/readyz'), await statusOf('/livez')]).toEqual(
      [200, 503, 200],
    );
    work.resolve();
    await job;
    expect(await drained).toBe(0);
    expect(order).toEqual(['stop', 'job', 'shutdown']);
    expect(jobs()).toMatchObject([{ fields: { errno: 0 } }]);
    expect(codes).toEqual([0]);
    expect(messages().slice(1)).toEqual([
      'Draining (SIGTERM): taking no more work, 1 job is in progress',
      'Drained: the process ends with 0',
    ]);
    await expect(statusOf('/__lbheartbeat__')).rejects.toThrow('fetch failed');
  });

  test('cuts what takes too long: its line says so, once, and its signal is aborted', async () => {
    const { health, drain, jobs, messages } = draining({ timeout: 50, stop: () => {} });
    let aborted = false;
    const late = deferred();
    const cut = health.job('video', 'v1', async ({ signal }) => {
      signal.addEventListener('abort', () => (aborted = true));
      await late.promise;
    });
    const handedBack = health.job(
      'order',
      'o1',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('requeued')))),
    );
    const rejected = expect(handedBack).rejects.toThrow('requeued');
    expect(await drain.start()).toBe(1);
    await rejected;
    expect(aborted).toBe(true);
    late.resolve();
    await cut;
    expect(jobs()).toMatchObject([
      { msg: 'requeued', fields: { id: 'o1', errno: 500 } },
      {
        level: 40,
        msg: 'The process ended before the job finished',
        fields: { id: 'v1', errno: 500, cut: true },
      },
    ]);
    expect(messages()).toContain('Cut off: 1 job is still in progress (longer than 50 ms)');
  });

  test('waits for jobs that begin while it stops; without anything to stop only for those under way', async () => {
    const stopped = deferred();
    const first = draining({ stop: () => stopped.promise });
    const drained = first.drain.start();
    const work = deferred();
    const late = first.health.job('late', 1, () => work.promise);
    stopped.resolve();
    await turn();
    work.resolve();
    await late;
    expect(await drained).toBe(0);

    const second = draining();
    const begun = deferred();
    const one = second.health.job('first', 1, () => begun.promise);
    const draining2 = second.drain.start();
    await turn();
    // Nobody stops these: the drain does not wait for ever.
    const endless = deferred();
    const other = second.health.job('next', 2, () => endless.promise);
    begun.resolve();
    await one;
    expect(await draining2).toBe(1);
    endless.resolve();
    await other;
  });

  test('that is hurried waits no longer, and says what was cut short', async () => {
    const { health, drain, jobs, messages } = draining({
      stop: function consumer() {
        return new Promise(() => {});
      },
    });
    const work = deferred();
    const slow = health.job('video', 1, () => work.promise);
    const drained = drain.start('SIGTERM');
    drain.hurry();
    expect(await drained).toBe(1);
    expect(messages()).toEqual(
      expect.arrayContaining([
        'consumer did not stop before the drain was cut short',
        'Cut off: 1 job is still in progress (the drain was cut short)',
      ]),
    );
    expect(jobs()).toMatchObject([{ fields: { id: '1', cut: true } }]);
    work.resolve();
    await slow;
  });

  test('a stop that throws, rejects or hangs is told, and the others are stopped all the same', async () => {
    let stopped = 0;
    class Consumer {
      stop() {
        return Promise.reject(new Error('amqp://u:s3cret@h refused'));
      }
    }
    class Hanging {
      close() {
        return new Promise(() => {});
      }
    }
    const { drain, messages } = draining({
      timeout: 50,
      stop: [
        function broken() {
          throw new Error('boom');
        },
        new Consumer(),
        new Hanging(),
        () => void (stopped += 1),
      ],
    });
    expect(await drain.start()).toBe(1);
    expect(stopped).toBe(1);
    const said = messages().join('\n');
    for (const part of [
      'stop broken threw Error: boom',
      'stop Consumer threw',
      'Hanging did not stop within 50 ms',
    ])
      expect(said).toContain(part);
    expect(said).not.toContain('s3cret');
  });

  test('no job is lost or told twice, whichever end and whichever do not', async () => {
    const behaviours = fc.array(fc.constantFrom('ends', 'fails', 'hangs', 'hands back'), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(behaviours, async (list) => {
        const { health, drain, jobs } = draining({ timeout: 20, stop: () => {} });
        list.forEach((behaviour, index) => {
          const run = (job: Job) => {
            if (behaviour === 'ends') return new Promise<void>((resolve) => setImmediate(resolve));
            if (behaviour === 'fails') return Promise.reject(new Error('no'));
            return new Promise<void>((_, reject) => {
              if (behaviour === 'hands back')
                job.signal.addEventListener('abort', () => reject(new Error('back')));
            });
          };
          health.job(behaviour, index, run).catch(() => {});
        });
        const code = await drain.start();
        const hung = list.filter((behaviour) => behaviour === 'hangs').length;
        expect(code).toBe(hung > 0 ? 1 : 0);
        const ids = jobs().map(({ fields }) => Number(fields['id']));
        expect(ids.toSorted((a, b) => a - b)).toEqual([...list.keys()]);
        expect(jobs().filter(({ fields }) => fields['cut'] === true).length).toBe(hung);
      }),
      { numRuns: 20 },
    );
  });

  test('is refused twice, for no Health, with a wrong option', () => {
    const { health } = draining();
    expect(() => drainOnSignals(health)).toThrow(
      expect.objectContaining({
        code: 'LIFESIGN_DRAIN_TWICE',
        message: expect.stringContaining('this worker'),
      }),
    );
    expect(() => Reflect.apply(drainOnSignals, undefined, [{}])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_APP' }),
    );
    const fresh = new Health({ port: 0, logger: false });
    onTestFinished(() => fresh.close());
    expect(() => Reflect.apply(drainOnSignals, undefined, [fresh, { delay: 5 }])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_UNKNOWN' }),
    );
    expect(() => Reflect.apply(drainOnSignals, undefined, [fresh, { server: {} }])).toThrow(
      'Unknown option "server" of drainOnSignals.',
    );
  });
});

describe('what takes work', () => {
  test('is stopped by the method that waits for its jobs', async () => {
    const called: string[] = [];
    const source = (...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, () => called.push(name)]));
    const stop = [
      source('stop', 'close', 'disconnect'),
      source('close', 'pause', 'run'),
      source('cancelAll', 'consume', 'cancel', 'ack', 'close'),
    ] as unknown as WorkerDrainOptions['stop'];
    expect(await draining({ stop }).drain.start()).toBe(0);
    expect(called).toEqual(['stop', 'close', 'cancelAll']);
  });

  test('is refused where stopping it would lose work', () => {
    const methods = (...names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, () => {}]));
    const channel = methods('consume', 'cancel', 'ack', 'nack', 'close');
    const stopsOf = (stop: unknown) => Reflect.apply(drainOnSignals, undefined, [health, { stop }]);
    const { health } = makeWorker();
    const refused = (text: string) =>
      expect.objectContaining({ code: 'LIFESIGN_WORKER_STOP', message: expect.stringContaining(text) });
    expect(() => stopsOf(channel)).toThrow(refused('channel.cancel(consumerTag)'));
    for (const wrong of [5, 'worker', null, {}, [[]], methods('drain')]) {
      expect(() => stopsOf(wrong)).toThrow(refused('Pass a function'));
    }
  });
});
