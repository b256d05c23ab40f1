import { createHandler, type ProbesOptions } from 'lifesign';
import { type Channels, RunningRequests } from '../../../src/probes/requests.js';
import { Probes, type ProbesHost, type Surroundings as Replaced } from '../../../src/probes/feature.js';
import { DatabaseCheck, type Opinion } from './database-check.js';
import type { Database } from './database.js';
import type { Link } from './link.js';
import { Pool } from './pool.js';
import { ProcessClock, type Scheduler } from './scheduler.js';

export type PeerTransport = NonNullable<Replaced['transport']>;
type ResolvedProbes = ConstructorParameters<typeof Probes>[1];

/** The options of the probes with their defaults, which are the same in all processes. */
const resolved = new Map<string, ResolvedProbes>();

function optionsOf(given: ProbesOptions): ResolvedProbes {
  const key = JSON.stringify(given);
  const known = resolved.get(key);
  if (known !== undefined) return known;
  const { health } = createHandler({ probes: given, logger: false });
  health.close();
  const { probes } = health.options;
  if (probes === undefined) throw new Error('No probes');
  resolved.set(key, probes);
  return probes;
}

/** What a process is made with. */
export interface Surroundings {
  readonly world: Scheduler;
  readonly random: () => number;
  readonly database: Database;
  readonly link: Link;
  readonly poolSize: number;
  /** Undefined without peers. */
  readonly transport: PeerTransport | undefined;
  /** Called when a verdict changed. */
  readonly onVerdict: (ready: boolean) => void;
  readonly onLog: (msg: string) => void;
  /** A defect that the simulation has to find. */
  readonly mutant?: Mutant | undefined;
}

/** A defect of the verdicts. */
export interface Mutant {
  /** What a second opinion comes to. */
  readonly opinion?: (opinion: Opinion) => Opinion;
  /** What peers answer. */
  readonly answer?: (body: string) => string;
  /** Whether requests that may hold a connection are forgotten. */
  readonly forgetsRequests?: boolean;
  /** Whether every failure counts, and restarts at once, as without second opinions. */
  readonly countsEverything?: boolean;
}

/** A request of a client, as Node shows it. */
export interface Response {
  writableEnded: boolean;
  destroyed: boolean;
}

const noRequests = { watch: () => {}, close: () => {}, mayRun: () => false };

type Listener = (message: unknown) => void;

/** One process of an instance: the probes of the package over a simulated pool. */
export class Process {
  readonly world: Scheduler;
  readonly clock: ProcessClock;
  readonly pool: Pool;
  readonly probes: Probes<never>;
  readonly check: DatabaseCheck;
  hasPassed = false;
  wasReady = false;
  isFailing = false;
  isRunning = true;
  /** Requests without an answer, and when they began. */
  readonly #open = new Map<Response, number>();
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor({
    world,
    random,
    database,
    link,
    poolSize,
    transport,
    onVerdict,
    onLog,
    mutant,
  }: Surroundings) {
    this.world = world;
    this.clock = new ProcessClock(world, random);
    const reach = { clock: this.clock, database, link };
    this.pool = new Pool(reach, poolSize);
    this.check = new DatabaseCheck(reach, this.pool, mutant);
    const channels: Channels = {
      subscribe: (name, listener) => void this.#listenersOf(name).add(listener),
      unsubscribe: (name, listener) => void this.#listenersOf(name).delete(listener),
    };
    const list = [this.check.registered];
    const host: ProbesHost<never> = {
      checks: () => list,
      draining: () => false,
      log: ({ msg = '' }) => onLog(msg),
      observe: async () => {
        const result = await this.check.run();
        this.isFailing = result.level > 0;
        this.hasPassed ||= !this.isFailing;
        const { level, status, failed } = result;
        return { level, status, failed, results: [result] };
      },
      version: async () => ({ kind: 'missing' }),
      options: { publicMessages: true, healthPort: undefined },
      showsDetails: () => false,
      emitVerdict: ({ ready }) => onVerdict(ready === 'pass'),
      onError(_msg, thrown) {
        throw thrown;
      },
    };
    const options = optionsOf({
      ...(mutant?.countsEverything === true && { restartAfter: 1 }),
      ...(transport && { peers: 'fleet:1' }),
    });
    const requests =
      mutant?.forgetsRequests === true ? noRequests : new RunningRequests(this.clock, channels);
    this.probes = new Probes(host, options, { clock: this.clock, transport, requests });
  }

  /** What a platform gets within a second: 200, another code, or undefined for no answer. */
  ask(probe: 'live' | 'ready', answered: (status: number | undefined) => void): void {
    const { clock } = this;
    let isOpen = true;
    const settle = (status: number | undefined) => {
      if (isOpen) answered(status);
      isOpen = false;
      cancel();
    };
    const cancel = this.late(1000, () => settle(undefined));
    clock.after(0, () => {
      void Promise.resolve(this.probes.answer(probe, () => false, false)).then(({ status }) =>
        settle(status),
      );
    });
  }

  /** Set by the platform, whose time goes on while the process stands still. */
  late: (ms: number, then: () => void) => () => void = () => () => {};

  /** Whether a request that began before a time has no answer yet. */
  isServing(before: number): boolean {
    return [...this.#open].some(([{ writableEnded }, since]) => since <= before && !writableEnded);
  }

  publish(name: string, response: Response): void {
    if (!response.writableEnded) this.#open.set(response, this.world.now);
    for (const listener of this.#listenersOf(name)) listener({ response });
  }

  kill(): void {
    this.isRunning = false;
    this.clock.kill();
    this.probes.close();
    for (const connection of this.pool.all) connection.close();
  }

  #listenersOf(name: string): Set<Listener> {
    const known = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, known);
    return known;
  }
}
