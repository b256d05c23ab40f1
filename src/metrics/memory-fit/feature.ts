import type { Feature, FeatureHost } from '../../core/feature.js';
import { Lazy } from '../../core/lazy.js';
import { timersEndWithRequest } from '../../core/runtime.js';
import type { MemoryFit } from './index.js';

/** Loads the comparison. */
type LoadFit = () => Promise<{ readonly MemoryFit: typeof MemoryFit }>;

/** Looks whether the heap fits the container: at start, and whenever the checks have run. */
export class MemoryFitFeature<Request> implements Feature<Request> {
  readonly #fit: Lazy<MemoryFit>;

  constructor(host: FeatureHost<Request>, load: LoadFit) {
    this.#fit = new Lazy(async () => new (await load()).MemoryFit(host.log));
    if (!timersEndWithRequest) this.onHeartbeat();
  }

  onHeartbeat(): void {
    this.#fit.whenLoaded((fit) => fit.look());
  }
}
