import { Redis } from 'ioredis';
import { redis } from '../../services/redis.js';
import type { RunningService } from '../../services/service.js';
import { openTunnel, type Tunnel } from './tunnel.js';

/** A Redis and its replica at one address, which leads to the primary. */
export class RedisPair {
  /** The address of the pair. */
  readonly tunnel: Tunnel;
  readonly #primary: RunningService;
  readonly #replica: RunningService;

  private constructor(primary: RunningService, replica: RunningService, tunnel: Tunnel) {
    this.#primary = primary;
    this.#replica = replica;
    this.tunnel = tunnel;
  }

  static async start(): Promise<RedisPair> {
    const primary = await redis.start();
    const replica = await redis.start({ args: ['--replicaof', '127.0.0.1', String(primary.port)] });
    return new RedisPair(primary, replica, await openTunnel(primary.port));
  }

  killPrimary(): Promise<void> {
    return this.#primary.kill();
  }

  /** The replica is the primary from now on, and the address leads to it. */
  async promoteReplica(): Promise<void> {
    const owner = new Redis(this.#replica.url);
    await owner.replicaof('NO', 'ONE');
    owner.disconnect();
    this.tunnel.redirect(this.#replica.port);
  }

  async stop(): Promise<void> {
    this.tunnel.close();
    await this.#primary.stop();
    await this.#replica.stop();
  }
}
