import { attempt, host } from '../../core/runtime.js';
import type { Emit, Family } from '../family.js';
import { noLabels } from '../labels.js';
import { containerMemory } from './cgroup.js';
import { Collections, type OnCollection } from './collections.js';
import { type Delays, LoopMeter, measureLag } from './loop.js';

/** The name of the utilization in a registry: the other one may be taken by the application, or by a later prom-client. */
export const utilizationInRegistry = 'lifesign_event_loop_utilization';

const delays: readonly (readonly [keyof Delays, help: string, aggregator: Family['aggregator']])[] = [
  ['min', 'The minimum recorded event loop delay.', 'min'],
  ['max', 'The maximum recorded event loop delay.', 'max'],
  ['mean', 'The mean of the recorded event loop delays.', 'average'],
  ['stddev', 'The standard deviation of the recorded event loop delays.', 'average'],
  ['p50', 'The 50th percentile of the recorded event loop delays.', 'average'],
  ['p90', 'The 90th percentile of the recorded event loop delays.', 'average'],
  ['p99', 'The 99th percentile of the recorded event loop delays.', 'average'],
];

/** The load of this process: event loop, heap, garbage collection, memory. Measured from here on until it is released. */
export class Runtime {
  readonly #loop = new LoopMeter();
  readonly #collections: Collections;
  readonly #v8 = attempt(() => host.getBuiltinModule?.('node:v8'));
  #lag: number | undefined;

  constructor(onCollection?: OnCollection) {
    this.#collections = new Collections(onCollection);
  }

  /** Takes the measurements that need a turn of the event loop. */
  async update(): Promise<void> {
    this.#lag = await measureLag();
  }

  release(): void {
    this.#loop.release();
    this.#collections.release();
  }

  /** By the names of prom-client's default metrics, if it has them; its registry has those itself. */
  readonly families: readonly Family[] = [
    {
      ...gauge('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', 'average'),
      unit: 'seconds',
      collect: (emit) => one(emit, this.#lag),
    },
    ...delays.map(([name, help, aggregator]): Family => ({
      ...gauge(`nodejs_eventloop_lag_${name}_seconds`, help, aggregator),
      unit: 'seconds',
      collect: (emit) => one(emit, this.#loop.read().delays?.[name]),
    })),
    this.#utilization('nodejs_eventloop_utilization'),
    this.#utilization(utilizationInRegistry),
    this.#memory('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', 'heapTotal'),
    this.#memory('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', 'heapUsed'),
    this.#memory('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', 'external'),
    this.#memory('process_resident_memory_bytes', 'Resident memory size in bytes.', 'rss'),
    {
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      type: 'histogram',
      unit: 'seconds',
      aggregator: 'sum',
      collect: (emit) => this.#collections.duration(emit),
    },
    {
      ...gauge('lifesign_heap_limit_bytes', 'The size at which the heap of V8 is full.', 'sum'),
      unit: 'bytes',
      collect: (emit) =>
        one(
          emit,
          attempt(() => this.#v8?.getHeapStatistics().heap_size_limit),
        ),
    },
    {
      ...gauge('lifesign_memory_limit_bytes', 'The memory limit of the container.', 'max'),
      unit: 'bytes',
      collect: (emit) => one(emit, containerMemory()?.limit),
    },
    {
      ...gauge(
        'lifesign_memory_used_bytes',
        'Memory that counts against the limit of the container, without the cache of files.',
        'max',
      ),
      unit: 'bytes',
      collect: (emit) => one(emit, containerMemory()?.used),
    },
  ];

  /** Sizes of the spaces of the heap, as OpenTelemetry has them. */
  collectSpaces(emit: (used: number, size: number, space: string) => void): void {
    for (const space of attempt(() => this.#v8?.getHeapSpaceStatistics()) ?? []) {
      emit(space.space_used_size, space.space_size, space.space_name);
    }
  }

  #utilization(name: string): Family {
    return {
      ...gauge(name, 'Share of the time since the last scrape in which the event loop was busy.', 'average'),
      collect: (emit) => one(emit, this.#loop.read().utilization),
    };
  }

  #memory(name: string, help: string, part: 'heapTotal' | 'heapUsed' | 'external' | 'rss'): Family {
    return {
      ...gauge(name, help, 'sum'),
      unit: 'bytes',
      collect: (emit) =>
        one(
          emit,
          attempt(() => host.memoryUsage?.()[part]),
        ),
    };
  }
}

function gauge(name: string, help: string, aggregator: Family['aggregator']) {
  return { name, help, type: 'gauge', aggregator } as const;
}

function one(emit: Emit, value: number | undefined): void {
  if (value !== undefined) emit(value, noLabels);
}
