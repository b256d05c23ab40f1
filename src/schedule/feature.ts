import type { Feature, FeatureHost } from '../core/feature.js';
import { Lazy } from '../core/lazy.js';
import type { Schedule } from './index.js';

/** Loads the schedule: only if a check has one. */
type LoadSchedule = () => Promise<{
  readonly Schedule: new (host: Pick<FeatureHost<never>, 'checks' | 'draining' | 'refresh'>) => Schedule;
}>;

/** Runs checks by itself, from the first one that asks for it until the process leaves. */
export function openSchedule<Request>(host: FeatureHost<Request>, load: LoadSchedule): Feature<Request> {
  let schedule: Lazy<Schedule> | undefined;
  const stop = () => schedule?.whenLoaded((loaded) => loaded.stop());
  return {
    onScheduled(every) {
      schedule ??= new Lazy(() => load().then(({ Schedule: Loaded }) => new Loaded(host)));
      schedule.whenLoaded((loaded) => loaded.add(every));
    },
    onLeave: stop,
    close: stop,
  };
}
