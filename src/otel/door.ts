import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { Loaded } from '../core/loaded.js';
import { timersEndWithRequest } from '../core/runtime.js';
import type { Instruments } from './index.js';

/** Loads the instruments. */
type LoadInstruments = () => Promise<{ readonly Instruments: typeof Instruments }>;

/** Tells the instruments of OpenTelemetry what happens. */
export class OtelDoor<Request> implements Feature<Request> {
  readonly #instruments: Loaded<Instruments>;

  constructor(host: FeatureHost<Request>, load: LoadInstruments) {
    this.#instruments = new Loaded(async () => new (await load()).Instruments(host));
    // A worker may load nothing outside of a request.
    if (!timersEndWithRequest) this.#instruments.tell(() => {});
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#instruments.tell((instruments) => instruments.record(heartbeat));
  }

  onGroupHeartbeat(heartbeat: Heartbeat): void {
    this.#instruments.tell((instruments) => instruments.recordChecks(heartbeat));
  }

  onVerdict(change: VerdictChange): void {
    this.#instruments.tell((instruments) => instruments.verdicts.record(change));
  }

  onStarted(): void {
    this.#instruments.tell((instruments) => instruments.attach());
  }

  close(): void {
    this.#instruments.tell((instruments) => instruments.close());
  }
}
