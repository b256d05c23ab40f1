import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { HealthOptions, LogRecord } from 'lifesign';
import { type DrainOptions, drainOnSignals } from 'lifesign/drain';
import { Health } from 'lifesign/node';
import { makeHealth } from '../../core/make-health.js';
import { pause, until } from '../../core/waiting.js';
import { freePort } from '../../services/port.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server in this process, and what became of its draining. */
async function startServer(options: DrainOptions = {}, wait = 0) {
  const records: LogRecord[] = [];
  const health = new Health({ summary: false, logger: { log: (record) => void records.push(record) } });
  const server = createServer(health.listener((_req, res) => void setTimeout(() => res.end('done'), wait)));
  const codes: number[] = [];
  const drain = drainOnSignals(health, { server, exit: (code) => codes.push(code), ...options });
  ends.push(() => {
    drain.stop();
    server.closeAllConnections();
    server.close();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, health, records, drain, codes, port };
}

function ask(port: number, agent: Agent, path = '/'): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, (response) => {
      response.resume().once('end', () => resolve(response));
    }).once('error', reject);
  });
}

describe('drainOnSignals', () => {
  it('a drain that fails ends the process with 1, and says why', async () => {
    const { health, drain, codes, records } = await startServer({ delay: 0 });
    health.close = () => {
      throw new Error('not closed');
    };
    expect(await drain.start()).toBe(1);
    expect(codes).toEqual([1]);
    expect(records.map(({ msg }) => msg)).toContain('The drain failed: Error: not closed');
  });

  it('keep-alive clients are told to leave with the answer that is under way or the next one', async () => {
    const agent = new Agent({ keepAlive: true });
    const { port, drain, codes } = await startServer({ delay: 300 }, 50);
    expect((await ask(port, agent)).headers['connection']).toBe('keep-alive');
    const underway = ask(port, agent);
    await pause(10);
    const drained = drain.start();
    expect((await underway).headers['connection']).toBe('close');
    expect((await ask(port, agent, '/__lbheartbeat__')).headers['connection']).toBe('close');
    expect(await drained).toBe(0);
    expect(codes).toEqual([0]);
    await expect(ask(port, agent)).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  it('connections that are idle or never said anything do not hold it up', async () => {
    const { port, drain } = await startServer({ delay: 0, timeout: 20_000 });
    const agent = new Agent({ keepAlive: true });
    await ask(port, agent);
    const silent = connect(port, '127.0.0.1').on('error', () => {});
    await once(silent, 'connect');
    expect(await drain.start()).toBe(0);
    agent.destroy();
    silent.destroy();
  });

  it('start() twice drains once', async () => {
    const { drain, codes } = await startServer({ delay: 0 });
    expect(await Promise.all([drain.start(), drain.start()])).toEqual([0, 0]);
    expect(codes).toEqual([0]);
  });

  it('stop() leaves the process and the server as they were', async () => {
    const before = process.listenerCount('SIGTERM');
    const { server, health, drain } = await startServer();
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    drain.stop();
    expect(process.listenerCount('SIGTERM')).toBe(before);
    expect(Object.hasOwn(server, 'emit')).toBe(false);
    drainOnSignals(health, { server }).stop();
  });

  it('closing the Health stops it; a stop that comes later takes nothing from its successor', async () => {
    const before = process.listenerCount('SIGTERM');
    const { server, health, drain } = await startServer();
    health.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
    expect(Object.hasOwn(server, 'emit')).toBe(false);
    const next = drainOnSignals(health, { server });
    drain.stop();
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    expect(() => drainOnSignals(health, { server })).toThrow('already called for this server');
    next.stop();
    health.close();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });

  it('closing the Health does not stop a drain that has begun; signals are given back after its end', async () => {
    const before = process.listenerCount('SIGTERM');
    const started = await startServer({
      delay: 0,
      onShutdown: [() => started.health.close(), () => void during.push(process.listenerCount('SIGTERM'))],
    });
    const during: number[] = [];
    expect(await started.drain.start()).toBe(0);
    expect(started.codes).toEqual([0]);
    expect(during).toEqual([before + 1]);
    await until(() => process.listenerCount('SIGTERM') === before);
  });

  it('a server that is closed already ends well', async () => {
    const { server, drain } = await startServer({ delay: 0 });
    server.close();
    await once(server, 'close');
    expect(await drain.start()).toBe(0);
  });

  it.each([
    [
      { delay: -1 },
      'Option delay is -1; it must be a text such as "30s", or in code a number from 0 to 2147483647 (milliseconds).',
    ],
    [{ timeout: 0 }, 'Option timeout is 0'],
    [{ onShutdown: [5] }, 'Option onShutdown is an array; it must be a list of functions.'],
    [{ signals: ['SIGNOPE'] }, 'it must be a list of signals such as SIGTERM'],
    [{ exit: 5 }, 'Option exit is 5; it must be a function that takes the exit code.'],
    [{ dealy: 5 }, 'Unknown option "dealy" of drainOnSignals.'],
    [{ stop: [] }, 'Unknown option "stop" of drainOnSignals.'],
  ])('%j is refused', (options, message) => {
    const { health } = makeHealth();
    expect(() => drainOnSignals(health, { server: createServer(), ...(options as DrainOptions) })).toThrow(
      message,
    );
  });

  it('twice for one server is refused', async () => {
    const { server, health } = await startServer();
    expect(() => drainOnSignals(health, { server })).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_DRAIN_TWICE' }),
    );
  });
});

describe('the steps of a drain', () => {
  it('a signal starts it, and a second one ends the process at once', async () => {
    const { codes, drain, records } = await startServer({ delay: 60_000, signals: ['SIGUSR2'] });
    process.emit('SIGUSR2', 'SIGUSR2');
    expect(codes).toEqual([]);
    expect(records.at(-1)?.msg).toBe('Draining (SIGUSR2): the server closes in 60000 ms');
    process.emit('SIGUSR2', 'SIGUSR2');
    expect(codes).toEqual([128 + constants.signals.SIGUSR2]);
    drain.hurry();
    expect(await drain.start()).toBe(0);
    drain.stop();
    expect(process.listenerCount('SIGUSR2')).toBe(0);
  });

  it('hooks that throw or hang are told, the others run, and the code is 1', async () => {
    const ran: string[] = [];
    const { drain, codes, records } = await startServer({
      delay: 0,
      shutdownTimeout: 30,
      onShutdown: [
        function throws() {
          throw new Error('no pool');
        },
        function hangs() {
          return new Promise(() => {});
        },
        () => ran.push('last'),
      ],
    });
    expect(await drain.start()).toBe(1);
    expect([codes, ran]).toEqual([[1], ['last']]);
    expect(records.map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^Draining/),
      expect.stringMatching(/^onShutdown throws threw .*no pool/),
      'onShutdown hangs did not finish within 30 ms',
      // No time was left for it.
      ...(records.length > 4 ? [expect.stringMatching(/did not finish/)] : []),
      'Drained: the process ends with 1',
    ]);
  });

  it.each<[string, DrainOptions['exit'], string | undefined]>([
    ['throws', () => Promise.reject(new Error('stuck')), 'exit threw'],
    ['hangs', () => new Promise(() => {}), 'exit did not finish within 20 ms'],
    ['is omitted', undefined, undefined],
  ])('the process ends also where exit %s', async (_case, exit, msg) => {
    const ended = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    ends.push(() => ended.mockRestore());
    const { health, records } = makeHealth({ summary: false });
    const server = createServer().listen(0, '127.0.0.1');
    const drain = drainOnSignals(health, {
      server,
      delay: 0,
      shutdownTimeout: 20,
      ...(exit !== undefined && { exit }),
    });
    ends.push(() => drain.stop());
    expect(await drain.start()).toBe(0);
    await until(() => ended.mock.calls.length > 0);
    expect(ended).toHaveBeenCalledWith(0);
    if (msg !== undefined) expect(records.at(-1)?.msg).toContain(msg);
  });

  it('takes a Health and a server', () => {
    const server = createServer();
    const { health } = makeHealth();
    const write = 'Write drainOnSignals(health, { server';
    for (const given of [
      [server],
      [{}, { server }],
      [server, {}],
      [health],
      [health, {}],
      [() => {}, health],
    ]) {
      expect(() => Reflect.apply(drainOnSignals, undefined, given)).toThrow(
        expect.objectContaining({ code: 'LIFESIGN_APP', message: expect.stringContaining(write) }),
      );
    }
    expect(() => Reflect.apply(drainOnSignals, undefined, [health, 5])).toThrow(
      'The options argument of drainOnSignals is 5',
    );
  });

  it('options of the call win over those of the Health, these over variables', async () => {
    vi.stubEnv('HEALTH_DRAIN_DELAY', '60000ms');
    ends.push(() => vi.unstubAllEnvs());
    const times = async (drain: HealthOptions['drain'] | false | undefined, options: DrainOptions) => {
      const { health, records } = makeHealth({ drain });
      const server = createServer();
      const { start, hurry } = drainOnSignals(health, { server, signals: [], exit: () => {}, ...options });
      const drained = start('test');
      hurry();
      await drained;
      return records[0]?.msg;
    };
    const closesIn = (ms: number) => `Draining (test): the server closes in ${ms} ms`;
    expect(await times(undefined, {})).toBe(closesIn(60_000));
    expect(await times(false, {})).toBe(closesIn(60_000));
    expect(await times({ delay: '40s' }, {})).toBe(closesIn(40_000));
    expect(await times({ delay: '40s' }, { delay: undefined })).toBe(closesIn(40_000));
    expect(await times({ delay: '40s' }, { delay: 0 })).toBe(closesIn(0));
    vi.stubEnv('HEALTH_DRAIN_FAIL_LBHEARTBEAT', 'true');
    expect(makeHealth({ drain: true }).health.options.drain).toMatchObject({ failLbheartbeat: true });
    expect(() => makeHealth({ drain: { dealy: 5 } as never })).toThrow('Unknown option "dealy"');
  });
});
