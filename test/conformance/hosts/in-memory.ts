import { createServer, type Server } from 'node:http';
import { Duplex } from 'node:stream';
import { Health } from 'lifesign/node';
import { collecting, type Host, prepare } from '../host.js';
import { application } from './node.js';

/** One end of a connection in memory: what is written to it is read at the other. */
class End extends Duplex {
  other: End | undefined;
  #taken: (() => void) | undefined;

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.other?.receive(chunk, done);
  }

  override _final(done: () => void): void {
    this.other?.receive(null, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { other } = this;
    // As a socket: the other end hears of it later.
    setImmediate(() => other?.destroy());
    done(error);
  }

  private receive(chunk: Buffer | null, done: () => void): void {
    if (this.push(chunk) || chunk === null) done();
    else this.#taken = done;
  }
}

function connectTo(server: Server): Duplex {
  // As sockets: a client ends with its server.
  const [client, served] = [new End({ allowHalfOpen: false }), new End()];
  client.other = served;
  served.other = client;
  server.emit('connection', served);
  return client;
}

/** node:http without a socket: the list in seconds, for the inner loop and for mutants. */
export const inMemory: Host = {
  name: 'node:http in memory',
  async start(setup) {
    const { options, records } = collecting(setup);
    const health = new Health(undefined, options);
    prepare(health, setup);
    const server = createServer(health.listener(application));
    return {
      origin: 'http://127.0.0.1',
      port: 80,
      connect: () => connectTo(server),
      health,
      records,
      close: async () => health.close(),
    };
  },
};
