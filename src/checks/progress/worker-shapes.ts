import { hasMethods, isObject } from '../client.js';

/** A `Runner` of graphile-worker: `await run({ taskList })`. */
export interface GraphileRunner {
  stop(reason?: string): Promise<void>;
  addJob(...given: never): Promise<unknown>;
  readonly promise: Promise<void>;
  readonly events: object;
}

/** A `Consumer` of sqs-consumer. */
export interface SqsConsumer {
  readonly status: { readonly isRunning: boolean; readonly isPolling: boolean };
  updateOption(option: never, value: never): void;
  start(): void;
}

/** A `Worker` of @temporalio/worker. */
export interface TemporalWorker {
  getState(): string;
  getStatus(): {
    readonly numInFlightActivities: number;
    readonly numInFlightWorkflowActivations: number;
    readonly numHeartbeatingActivities: number;
  };
  shutdown(): void;
}

/** A stream of @platformatic/kafka: `await consumer.consume({ topics })`. */
export interface PlatformaticStream {
  readonly readableLength: number;
  readonly readableFlowing: boolean | null;
  readonly offsetsToFetch: ReadonlyMap<string, bigint>;
  readonly offsetsCommitted: ReadonlyMap<string, bigint>;
  isActive(): boolean;
  isConnected(): boolean;
}

export const isGraphileRunner = (value: unknown): value is GraphileRunner =>
  hasMethods(value, 'stop', 'addJob') &&
  'promise' in value &&
  'events' in value &&
  hasMethods(value.events, 'on', 'emit');
export const isSqsConsumer = (value: unknown): value is SqsConsumer =>
  hasMethods(value, 'updateOption', 'start', 'stop', 'on') && 'status' in value && isObject(value.status);
export const isTemporalWorker = (value: unknown): value is TemporalWorker =>
  hasMethods(value, 'getState', 'getStatus', 'shutdown', 'run');
export const isPlatformaticStream = (value: unknown): value is PlatformaticStream =>
  hasMethods(value, 'isActive', 'isConnected', 'read') &&
  'offsetsToFetch' in value &&
  'offsetsCommitted' in value &&
  value.offsetsToFetch instanceof Map;
