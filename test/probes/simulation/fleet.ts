import { Database } from './database.js';
import { Link } from './link.js';
import { type Mutant, type PeerTransport, Process } from './process.js';
import { Scheduler, seeded } from './scheduler.js';

/** How a fleet is run. */
export interface FleetOptions {
  readonly seed: number;
  readonly instances: number;
  readonly peers: boolean;
  readonly poolSize: number;
  /** Seconds between two readiness checks of the load balancer, and that a process takes to start. */
  readonly checkEvery: number;
  readonly startup: number;
}

/** Trouble of one instance that is its own: whether a restart mends it, and until when it lasts. */
export interface Trouble {
  readonly kind: string;
  readonly from: number;
  until: number;
  readonly mended: 'restart' | 'never';
}

/** The platform as usual: liveness every 10 s, and three failures restart. */
const liveEvery = 10_000;
const liveFailures = 3;
const askTakes = 1;

/** One instance of the service, with the processes that it has had. */
export class Slot {
  readonly index: number;
  readonly link: Link;
  process: Process | undefined;
  /** Whether other instances cannot be reached from here, nor this one from there. */
  isCutFromPeers = false;
  /** What the verdict is, and how often it became a failing one. */
  isReady = false;
  lefts: number[] = [];
  restarts: number[] = [];
  /** When each of its processes started. */
  starts: number[] = [];
  troubles: Trouble[] = [];
  opinions: number[] = [];
  asked: number[] = [];
  answered: number[] = [];
  /** Connections that were made because a peer asked. */
  reached: number[] = [];
  /** Whether the load balancer sends requests to it. */
  inRotation = false;

  constructor(index: number, world: Scheduler) {
    this.index = index;
    this.link = new Link(world);
  }
}

/** Instances behind a load balancer, kept alive by a kubelet, over one database. */
export class Fleet {
  readonly world = new Scheduler();
  readonly random: () => number;
  readonly database: Database;
  readonly slots: readonly Slot[];
  readonly options: FleetOptions;
  /** When a request last kept its connection for good: it may have waited in the queue of a busy pool. */
  lastLeak = -Infinity;
  /** Called when the verdict of an instance changes. */
  onChange: (slot: Slot, ready: boolean) => void = () => {};
  onRestart: (slot: Slot, isSilent: boolean) => void = () => {};
  /** Called with what an instance logs. */
  onLog(_slot: Slot, _msg: string): void {}
  readonly mutant: Mutant;

  constructor(options: FleetOptions, mutant: Mutant = {}) {
    this.options = options;
    this.mutant = mutant;
    this.random = seeded(options.seed);
    this.database = new Database(this.world);
    this.slots = Array.from({ length: options.instances }, (_each, index) => new Slot(index, this.world));
    for (const slot of this.slots) {
      this.start(slot);
      this.#every(options.checkEvery * 1000, () => this.#balance(slot));
      this.#supervise(slot);
    }
  }

  /** Starts a process, after so many milliseconds. */
  start(slot: Slot, after = 0): void {
    this.world.at(this.world.now + after, () => {
      if (slot.process !== undefined) return;
      const { world, random, database } = this;
      const process = new Process({
        world,
        random,
        database,
        link: slot.link,
        poolSize: this.options.poolSize,
        mutant: this.mutant,
        onLog: (msg) => this.onLog(slot, msg),
        transport: this.options.peers ? this.#transport(slot) : undefined,
        onVerdict: (ready) => {
          if (!process.isRunning || ready === slot.isReady) return;
          slot.isReady = ready;
          process.wasReady ||= ready;
          if (!ready && process.hasPassed) slot.lefts.push(world.now);
          this.onChange(slot, ready);
        },
      });
      // What waited in a process that was killed fails at its end.
      process.check.onOpinion = () => void (process.isRunning && slot.opinions.push(world.now));
      process.check.onReach = () => void slot.reached.push(world.now);
      process.late = (ms, then) => world.at(world.now + ms, then);
      slot.process = process;
      slot.starts.push(world.now);
    });
  }

  /** Ends a process and starts another. */
  replace(slot: Slot): void {
    slot.process?.kill();
    slot.process = undefined;
    slot.isReady = false;
    slot.inRotation = false;
    for (const trouble of slot.troubles) {
      if (trouble.mended === 'restart') trouble.until = Math.min(trouble.until, this.world.now);
    }
    this.start(slot, this.options.startup * 1000 * (0.5 + this.random()));
  }

  #every(period: number, act: () => void): void {
    const next = (after: number) => {
      this.world.at(this.world.now + after, () => {
        act();
        next(period);
      });
    };
    next(this.random() * period);
  }

  #balance(slot: Slot): void {
    const { process } = slot;
    process?.ask('ready', (status) => {
      if (slot.process === process) slot.inRotation = status === 200;
    });
  }

  #supervise(slot: Slot): void {
    let failures = 0;
    let isSilent = true;
    let seen: Process | undefined;
    this.#every(liveEvery, () => {
      const { process } = slot;
      if (process !== seen) failures = 0;
      seen = process;
      process?.ask('live', (status) => {
        if (slot.process !== process) return;
        failures = status === 200 ? 0 : failures + 1;
        isSilent = status === undefined && (isSilent || failures === 1);
        if (failures < liveFailures) return;
        // A process that stands still again and again is restarted by every platform: that is no verdict.
        if (!isSilent) slot.restarts.push(this.world.now);
        this.onRestart(slot, isSilent);
        this.replace(slot);
      });
    });
  }

  /** The network between the instances. */
  #transport(slot: Slot): PeerTransport {
    const { world } = this;
    return {
      resolve: async () =>
        slot.link.hasNoDns ? [] : this.slots.map(({ index }) => ({ address: `${index}`, port: 1 })),
      get: ({ address }, path) =>
        new Promise((resolve) => {
          const other = this.slots[Number(address)] as Slot;
          if (other !== slot) slot.asked.push(world.now);
          world.at(world.now + askTakes, () => {
            const { process } = other;
            if (process === undefined) return resolve('');
            if ((slot.isCutFromPeers || other.isCutFromPeers) && other !== slot) return;
            process.clock.after(0, () => {
              if (other !== slot) other.answered.push(world.now);
              void process.probes.answerPeer(path, false).then(({ body }) => {
                world.at(world.now + askTakes, () => resolve(this.mutant.answer?.(body) ?? body));
              });
            });
          });
        }),
      watchDelay: () => () => false,
    };
  }
}
