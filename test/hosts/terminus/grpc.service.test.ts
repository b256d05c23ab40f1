import { once } from 'node:events';
import { createServer, type Server as TcpServer } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import { selfSigned } from '../../http/certificate.js';
import { freePort } from '../../services/port.js';
import { beat, say, until } from './say.js';

const insecure = grpc.ServerCredentials.createInsecure();
const long = 'über.Dienst.'.repeat(40);
const statuses = new HealthImplementation({ '': 'SERVING', hero: 'SERVING', [long]: 'SERVING' });
statuses.setStatus('sad', 'NOT_SERVING');
statuses.setStatus('new', 'UNKNOWN');

async function serve(server: grpc.Server, credentials = insecure, port = 0): Promise<number> {
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, credentials, (error, at) => (error ? reject(error) : resolve(at)));
  });
  return bound;
}

function healthy(): grpc.Server {
  const server = new grpc.Server();
  statuses.addToServer(server);
  return server;
}

async function listening(server: TcpServer): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return `127.0.0.1:${address.port}`;
}

/** A client that does not wait long before it connects again. */
function open(address: string, credentials = grpc.credentials.createInsecure()): grpc.Client {
  const client = new grpc.Client(address, credentials, {
    'grpc.max_reconnect_backoff_ms': 100,
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.use_local_subchannel_pool': 1,
  });
  onTestFinished(() => client.close());
  return client;
}

const raw = (reply: (call: unknown, done: grpc.sendUnaryData<Buffer>) => void) => {
  const same = (bytes: Buffer) => bytes;
  const codec = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  const server = new grpc.Server();
  const Check = {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    ...codec,
  } as const;
  server.addService({ Check }, { Check: reply });
  return server;
};

describe('checks.grpc', () => {
  const server = healthy();
  let address: string;
  beforeAll(async () => {
    address = `127.0.0.1:${await serve(server)}`;
  });
  afterAll(() => server.forceShutdown());

  it.each([
    [undefined, []],
    ['hero', []],
    [long, []],
    ['sad', ['Error health.E026: gRPC service sad of HOST is NOT_SERVING']],
    ['new', ['Error health.E026: gRPC service new of HOST is UNKNOWN']],
    [
      'who',
      [
        'Error health.E026: Request to gRPC service who of HOST failed: the server does not know this service (NOT_FOUND)',
      ],
    ],
  ])('service %s', async (service, expected) => {
    const options = service === undefined ? {} : { service };
    const said = await say(checks.grpc(open(address), options));
    expect(said.map((text) => text.replace(address, 'HOST'))).toEqual(expected);
  });

  it('warns and fails by the time the answer takes', async () => {
    expect(await say(checks.grpc(open(address), { warn: 1e-9 }))).toEqual([
      expect.stringMatching(
        /^Warning health.E026: gRPC server 127.0.0.1:\d+ answered after \d+ ms, above 0 ms$/,
      ),
    ]);
    expect(await say(checks.grpc(open(address), { error: 1e-9 }))).toEqual([
      expect.stringMatching(/^Error health.E026/),
    ]);
  });

  it('says that nothing listens, and is well again as soon as the client is', async () => {
    const port = await freePort();
    const check = checks.grpc(open(`127.0.0.1:${port}`));
    const expected = [
      `Error health.E026: Request to gRPC server 127.0.0.1:${port} failed: connection refused (ECONNREFUSED)`,
    ];
    for (let failed = 0; failed < 20; failed += 1) expect(await say(check)).toEqual(expected);
    const late = healthy();
    await serve(late, insecure, port);
    onTestFinished(() => late.forceShutdown());
    await until(async () => (await say(check)).length === 0, 'the client connects again');
  });

  it('says that the server has no health service', async () => {
    const empty = new grpc.Server();
    const at = `127.0.0.1:${await serve(empty)}`;
    onTestFinished(() => empty.forceShutdown());
    expect(await say(checks.grpc(open(at)))).toEqual([
      `Error health.E026: Request to gRPC server ${at} failed: the server has no health service (UNIMPLEMENTED)`,
    ]);
  });

  it('tells TLS that does not fit from a server that is down', async () => {
    const { key, cert } = await selfSigned();
    const secure = healthy();
    const credentials = grpc.ServerCredentials.createSsl(null, [{ private_key: key, cert_chain: cert }]);
    const at = `localhost:${await serve(secure, credentials)}`;
    onTestFinished(() => secure.forceShutdown());
    const { createInsecure, createSsl } = grpc.credentials;
    const about = async (to: string, given: grpc.ChannelCredentials) =>
      (await say(checks.grpc(open(to, given)))).join().replace(/^.*? failed: /, '');
    const untrusted = "the server's certificate is not trusted";
    expect(await about(at.replace('localhost', '127.0.0.1'), createSsl())).toBe(untrusted);
    // It is trusted, and made out for another name.
    expect(await about(at.replace('localhost', '127.0.0.1'), createSsl(cert))).toBe(untrusted);
    expect(await about(address, createSsl())).toBe('the client uses TLS and the server does not');
    expect(await about(at.replace('localhost', '127.0.0.1'), createInsecure())).toBe(
      'the connection was closed while it was being opened',
    );
  });

  it('says nothing that the server says', async () => {
    const talkative = raw((_call, done) => done({ code: 13, details: 'postgres://root:pl4nted@db/ failed' }));
    const at = `127.0.0.1:${await serve(talkative)}`;
    onTestFinished(() => talkative.forceShutdown());
    expect(await say(checks.grpc(open(at)))).toEqual([
      `Error health.E026: Request to gRPC server ${at} failed: the call failed (INTERNAL)`,
    ]);
  });

  it('what speaks no gRPC', async () => {
    const http = createServer((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    expect(await say(checks.grpc(open(await listening(http))))).toEqual([
      expect.stringMatching(/^Error health.E026: .*: (the server there does not speak gRPC|the connection)/),
    ]);
  });

  it('gives up a call that is not answered', async () => {
    const silent = raw(() => {});
    const at = `127.0.0.1:${await serve(silent)}`;
    onTestFinished(() => silent.forceShutdown());
    expect(await beat(checks.grpc(open(at)))).toEqual(['health.E012']);
  });

  it('refuses what is no client', () => {
    const refused = expect.objectContaining({ code: 'LIFESIGN_CLIENT' });
    // @ts-expect-error an address is no client
    expect(() => checks.grpc('hero:50051')).toThrow(refused);
    // @ts-expect-error a service is known by its name
    expect(() => checks.grpc(open(address), { service: 5 })).toThrow('the full name of a service');
  });
});
