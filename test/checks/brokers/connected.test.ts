import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, test, vi } from 'vitest';
import { checks } from 'lifesign/express';
import { say } from '../say.js';

/** A connection of amqplib, as far as the check looks at it. */
function amqpConnection(state: object, open: () => Promise<object>) {
  return Object.assign(new EventEmitter(), {
    connection: { expectSocketClose: false, blocked: false, ...state },
    createChannel: open,
    createConfirmChannel: open,
    updateSecret() {},
  });
}

describe('check_broker_connected', () => {
  it('warns that a broker which is short of memory has blocked the connection', async () => {
    const connection = amqpConnection({ blocked: true }, () => new Promise(() => {}));
    expect(await say(checks.checkBrokerConnected(connection))).toEqual([
      'Warning health.W013: The AMQP broker does not accept messages: it has blocked this connection',
    ]);
  });

  it('takes a connection whose channels are all in use for one that works', async () => {
    const connection = amqpConnection({}, () => Promise.reject(new Error('No channels left to allocate')));
    expect(await say(checks.checkBrokerConnected(connection))).toEqual([]);
  });

  it('closes each channel that it opened, also one that is opened when its time is up', async () => {
    let closed = 0;
    const channel = Object.assign(new EventEmitter(), {
      async close() {
        closed += 1;
      },
    });
    let open: (channel: object) => void = () => {};
    const late = new Promise<object>((resolve) => {
      open = resolve;
    });
    const controller = new AbortController();
    const opening = vi.fn(() => late);
    const check = checks.checkBrokerConnected(amqpConnection({}, opening));
    const said = check({ signal: controller.signal, name: 'tested' });
    await vi.waitFor(() => expect(opening).toHaveBeenCalled(), 20_000);
    controller.abort(new DOMException('late', 'TimeoutError'));
    expect(JSON.stringify(await said)).toContain('health.E034');
    expect(closed).toBe(0);
    open(channel);
    await expect.poll(() => closed).toBe(1);
  });

  it('asks once for all who ask at the same time', async () => {
    let asked = 0;
    let answer = Promise.resolve();
    const nats = {
      flush() {
        asked += 1;
        return answer;
      },
      rtt: async () => 1,
      isClosed: () => false,
      drain() {},
    };
    const check = checks.checkBrokerConnected(nats);
    await say(check);
    asked = 0;
    let reply = () => {};
    answer = new Promise((resolve) => {
      reply = resolve;
    });
    const all = Array.from({ length: 100 }, () => say(check));
    await vi.waitFor(() => expect(asked).toBe(1), 20_000);
    reply();
    await Promise.all(all);
    expect(asked).toBe(1);
  });

  it('says that a function gives no client', async () => {
    const check = checks.checkBrokerConnected(() => undefined);
    expect(await say(check)).toEqual([
      'Error health.E032: Not connected to the broker: the application has not opened the connection, or has closed it',
    ]);
    const promised: unknown = async () => ({});
    expect(await say(checks.checkBrokerConnected(promised as never))).toEqual([
      'Error health.E032: Not connected to the broker: the broker function did not return a supported client',
    ]);
    const throws = checks.checkBrokerConnected(() => {
      throw new Error('no connection to amqp://planted_user:pl4nted-S3cret@host');
    });
    expect(await say(throws)).toEqual([expect.stringMatching(/^Error health\.E034: The broker error: /)]);
    expect((await say(throws)).join()).not.toMatch(/pl4nted/);
  });

  it('adds no listener for errors, which would keep one from ending the process', async () => {
    const connection = amqpConnection({}, async () => Object.assign(new EventEmitter(), { close() {} }));
    await say(checks.checkBrokerConnected(connection));
    expect(connection.listenerCount('error')).toBe(0);
    expect(() => connection.emit('error', new Error('lost'))).toThrow('lost');
  });
});

test('contributing/brokers.md names the versions that the tests run with', () => {
  const page = readFileSync(new URL('../../../contributing/brokers.md', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  const rows = [...page.matchAll(/^\| (@?[\w./-]+) \| (\d+\.\d+\.\d+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, name = '', version] of rows) {
    expect(manifest).toHaveProperty(['devDependencies', name], version);
  }
  const { dependencies }: { dependencies: object } = JSON.parse(
    readFileSync(new URL('../../hosts/consumers/package.json', import.meta.url), 'utf8'),
  );
  const newer = [...page.matchAll(/^\| (@?[\w./-]+) \| [^|]+ \| (\d+\.\d+\.\d+) \|$/gm)];
  expect(Object.fromEntries(newer.map(([, name, version]) => [name, version]))).toEqual(dependencies);
});
