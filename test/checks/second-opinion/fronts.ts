import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { selfSigned } from '../../http/certificate.js';

/** Further ways to a server on a port: a socket of the file system, TLS, and PostgreSQL's way to TLS. */
export interface Fronts {
  /** The folder of a socket with the name that PostgreSQL gives it, and that socket. */
  readonly directory: string;
  readonly path: string;
  readonly tls: number;
  readonly pgTls: number;
  close(): Promise<void>;
}

export async function openFronts(port: number): Promise<Fronts> {
  const open = new Set<Socket>();
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-'));
  const path = join(directory, '.s.PGSQL.5432');
  const { key, cert } = await selfSigned();
  const pair = (near: Socket, raw: Socket = near) => {
    const far = connect(port, '127.0.0.1');
    open.add(raw).add(far);
    near.pipe(far).pipe(near);
    for (const socket of [near, far, raw]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        near.destroy();
        far.destroy();
        open.delete(raw);
        open.delete(far);
      });
    }
  };
  const local = createServer((near) => pair(near));
  const tls = createTlsServer({ key, cert }, (near) => pair(near));
  tls.on('tlsClientError', () => {});
  const pgTls = createServer((raw) => {
    raw.on('error', () => {});
    raw.once('data', () => {
      // "S": from here on TLS.
      raw.write('S');
      pair(new TLSSocket(raw, { isServer: true, key, cert }), raw);
    });
  });
  const listening = async (server: Server, at: number | string) => {
    server.listen(typeof at === 'string' ? { path: at } : { port: at, host: '127.0.0.1' });
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  await listening(local, path);
  return {
    directory,
    path,
    tls: await listening(tls, 0),
    pgTls: await listening(pgTls, 0),
    async close() {
      for (const server of [local, tls, pgTls]) server.close();
      for (const socket of open) socket.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
