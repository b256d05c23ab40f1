import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../services/port.js';
import { haproxy } from '../../services/haproxy.js';
import { postgres } from '../../services/postgres.js';
import type { RunningService } from '../../services/service.js';
import { startArrivals, startLoad } from '../load.js';
import { answers, Instance, type Wiring } from './instance.js';
import { Monitor } from './monitor.js';
import { RedisPair } from './redis-pair.js';
import { openTunnel, type Tunnel } from './tunnel.js';

/** What came of a scenario. */
export interface Outcome {
  /** The fewest instances that were in rotation, and those that were out at some time. */
  readonly fewest: number;
  readonly evicted: readonly number[];
  /** Why HAProxy took them out, in its words: `L7STS` is an answer, `L7TOUT` is none in time. */
  readonly causes: readonly string[];
  /** The instances that were told to restart. */
  readonly restarted: readonly number[];
  /** How often, all of them together. */
  readonly restarts: number;
  readonly failed: number;
  readonly answered: number;
  /** Milliseconds from the end of the trouble until all is well; undefined where that took too long. */
  readonly recovery: number | undefined;
  /** Milliseconds until an instance was out of rotation, restarted, or its `monitor` failed; undefined if none of it happened. */
  readonly noticed: number | undefined;
  /** What `monitor` said then, or else at the end. */
  readonly said: string;
}

/** What a fleet is made of, beside its instances. */
interface Setting {
  /** Called with the database before the instances start; says by whom they log in. */
  readonly prepare?: (database: RunningService) => Promise<string>;
  /** Whether they have a Redis too, with a replica: at one address, as a service of a platform has it. */
  readonly redis?: boolean;
  /** How long HAProxy waits for an answer: `2s`. */
  readonly checkTimeout?: string;
  /** Whether each of them is given the addresses of all: `PEERS`. */
  readonly peers?: boolean;
  /** How many instances. */
  readonly size?: number;
}

/** How a scenario is played. */
interface Play {
  /** Milliseconds that the trouble lasts. */
  readonly lasting: number;
  readonly end?: () => unknown;
  /** Milliseconds in which all must be well after its end. */
  readonly limit?: number;
  /** Clients that send requests, milliseconds between two requests of one, and those after which it gives one up. */
  readonly clients?: number;
  readonly rest?: number;
  readonly patience?: number;
  /** Requests a second, sent whether or not those before have their answers, in place of clients that wait. */
  readonly perSecond?: number;
  /** Whether the trouble says by its argument when it begins, because it replaces processes before. What leaves rotation is not noticed then. */
  readonly beginsLater?: boolean;
}

/** Instances of a service behind HAProxy, each with its own way to one database. */
export class Fleet {
  readonly database: RunningService;
  readonly instances: readonly Instance[];
  readonly tunnels: readonly Tunnel[];
  readonly redis: RedisPair | undefined;
  /** The way of each instance to Redis. */
  readonly redisTunnels: readonly Tunnel[];
  readonly #proxy: RunningService;

  private constructor(
    database: RunningService,
    redis: RedisPair | undefined,
    instances: readonly Instance[],
    tunnels: readonly Tunnel[],
    redisTunnels: readonly Tunnel[],
    proxy: RunningService,
  ) {
    this.database = database;
    this.redis = redis;
    this.instances = instances;
    this.tunnels = tunnels;
    this.redisTunnels = redisTunnels;
    this.#proxy = proxy;
  }

  static async start(wiring: Wiring, setting: Setting = {}): Promise<Fleet> {
    const ends: (() => unknown)[] = [];
    try {
      return await Fleet.#open(wiring, setting, ends);
    } catch (error) {
      for (const end of ends.toReversed()) await end();
      throw error;
    }
  }

  /** `ends` stops what has started, if the rest does not. */
  static async #open(
    wiring: Wiring,
    {
      prepare = async () => 'lifesign',
      redis = false,
      checkTimeout = '10s',
      peers = false,
      size = 4,
    }: Setting,
    ends: (() => unknown)[],
  ): Promise<Fleet> {
    const database = await postgres.start();
    ends.push(() => database.stop());
    const user = await prepare(database);
    const pair = redis ? await RedisPair.start() : undefined;
    ends.push(() => pair?.stop());
    const tunnels = await Promise.all(Array.from({ length: size }, () => openTunnel(database.port)));
    const redisTunnels =
      pair === undefined
        ? []
        : await Promise.all(Array.from({ length: size }, () => openTunnel(pair.tunnel.port)));
    const ports: number[] = [];
    for (let index = 0; index < size; index += 1) ports.push(await freePort());
    const instances: Instance[] = [];
    for (const [index, port] of ports.entries()) {
      const env = {
        DATABASE_URL: `postgres://${user}@127.0.0.1:5432/postgres`,
        ...(pair !== undefined && { REDIS_URL: 'redis://127.0.0.1:6379' }),
        WAYS: `5432:${tunnels[index]?.port},6379:${redisTunnels[index]?.port}`,
        ...(peers && { PEERS: ports.map((each) => `127.0.0.1:${each}`).join() }),
      };
      instances.push(new Instance(wiring, port, await freePort(), env));
    }
    ends.push(() => Promise.all(instances.map((instance) => instance.stop())));
    await Promise.all(instances.map((instance) => instance.start()));
    const proxy = await haproxy.start({
      args: [wiring.ready, `timeout check ${checkTimeout}`, ...instances.map(({ address }) => address)],
    });
    ends.push(() => proxy.stop());
    const fleet = new Fleet(database, pair, instances, tunnels, redisTunnels, proxy);
    await fleet.allWell();
    for (const instance of instances) instance.supervise();
    return fleet;
  }

  /** Makes trouble under load, ends it, and tells what happened until all was well. */
  async suffer(trouble: (begin: () => void) => unknown, play: Play): Promise<Outcome> {
    const {
      lasting,
      end = () => {},
      limit,
      clients = 8,
      rest = 20,
      patience = 3000,
      perSecond,
      beginsLater = false,
    } = play;
    const out = new Set<number>();
    const causes = new Set<string>();
    let fewest = this.instances.length;
    const before = this.instances.map(({ restarts }) => restarts);
    const restartsOf = (instance: Instance, index: number) => instance.restarts - (before[index] ?? 0);
    const monitor = new Monitor();
    let began: number | undefined;
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        const up = await this.inRotation(causes);
        fewest = Math.min(fewest, up.length);
        for (const index of this.instances.keys()) if (!up.includes(index)) out.add(index);
        const changed = out.size > 0 || this.instances.some((each, index) => restartsOf(each, index) > 0);
        if (began !== undefined && changed && !beginsLater) monitor.notice();
        await sleep(100);
      }
    })();
    const load =
      perSecond === undefined
        ? startLoad([this.#proxy.url], clients, '/', rest, patience)
        : startArrivals(this.#proxy.url, perSecond, patience);
    const asking: Promise<void>[] = [];
    let recovery: number | undefined;
    try {
      await sleep(1000);
      const begin = () => {
        if (began !== undefined) return;
        began = performance.now();
        asking.push(monitor.watch(this.instances, watching.signal));
      };
      if (!beginsLater) begin();
      await trouble(begin);
      await sleep(lasting);
      await end();
      const ended = performance.now();
      recovery = await this.allWell(limit).then(
        () => Math.round(performance.now() - ended),
        () => undefined,
      );
    } finally {
      await load.stop();
      watching.abort();
      await Promise.all([watch, ...asking]);
    }
    const times = this.instances.map(restartsOf);
    const restarted = times.flatMap((count, index) => (count > 0 ? [index] : []));
    const restarts = times.reduce((sum, count) => sum + count, 0);
    const failed = load.failures.length;
    const evicted = [...out].toSorted();
    const answered = load.answered();
    const noticed =
      monitor.noticed === undefined ? undefined : Math.round(monitor.noticed - (began ?? monitor.noticed));
    const seen = { fewest, evicted, causes: [...causes], restarted, restarts };
    return { ...seen, failed, answered, recovery, noticed, said: monitor.said };
  }

  /** Replaces one instance after the other, by a release with these variables: the next one when the new one is in rotation and serves. */
  async deploy(env?: Readonly<Record<string, string>>): Promise<void> {
    for (const instance of this.instances) {
      await instance.replace(env);
      await this.allWell();
    }
  }

  /** Until all instances are in rotation and serve. */
  async allWell(limit = 60_000): Promise<void> {
    const until = performance.now() + limit;
    while (performance.now() < until) {
      const served = this.instances.map(({ origin }) => answers(`${origin}/`, 1000));
      const up = await this.inRotation();
      if (up.length === this.instances.length && (await Promise.all(served)).every(Boolean)) return;
      await sleep(100);
    }
    throw new Error(`Not all is well after ${limit} ms`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.instances.map((instance) => instance.stop()));
    await this.#proxy.stop();
    for (const tunnel of [...this.tunnels, ...this.redisTunnels]) tunnel.close();
    await this.redis?.stop();
    await this.database.stop();
  }

  /** The instances that get traffic. */
  async inRotation(causes: Set<string> = new Set()): Promise<readonly number[]> {
    // A star is before the last outcome while a check is under way.
    const csv = await (await fetch(`${this.#proxy.url}/haproxy-stats;csv`)).text();
    for (const [, index, cause] of csv.matchAll(/^web,s(\d),.*,DOWN,.*,(?:\* )?(L\d[A-Z]+),.*$/gm)) {
      causes.add(`${index} ${cause}`);
    }
    // HAProxy takes a server to be up before its first check, which an instance may fail while it starts.
    return [...csv.matchAll(/^web,s(\d),.*,UP,.*,(?:\* )?L7OK,.*$/gm)].map(([, index]) => Number(index));
  }
}
