import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { Lazy } from '../core/lazy.js';
import { timersEndWithRequest } from '../core/runtime.js';
import type { Instruments } from './index.js';

/** Loads the instruments. */
type LoadInstruments = () => Promise<{ readonly Instruments: typeof Instruments }>;

/** Passes events to the instruments of OpenTelemetry. */
export class OtelFeature<Request> implements Feature<Request> {
  readonly #instruments: Lazy<Instruments>;

  constructor(host: FeatureHost<Request>, load: LoadInstruments) {
    this.#instruments = new Lazy(async () => new (await load()).Instruments(host));
    // A worker may load nothing outside of a request.
    if (!timersEndWithRequest) this.#instruments.whenLoaded(() => {});
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#instruments.whenLoaded((instruments) => instruments.record(heartbeat));
  }

  onGroupHeartbeat(heartbeat: Heartbeat): void {
    this.#instruments.whenLoaded((instruments) => instruments.recordChecks(heartbeat));
  }

  onVerdict(change: VerdictChange): void {
    this.#instruments.whenLoaded((instruments) => instruments.verdicts.record(change));
  }

  onStarted(): void {
    this.#instruments.whenLoaded((instruments) => instruments.attach());
  }

  close(): void {
    this.#instruments.whenLoaded((instruments) => instruments.close());
  }
}
