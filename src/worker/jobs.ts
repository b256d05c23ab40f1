import { shared } from '../core/shared.js';
import type { RunningJob } from './job.js';

/** How often it is looked whether the last job has ended, in milliseconds: only while a process ends. */
const period = 20;

/** The jobs of one Health that are under way. */
export class Jobs {
  readonly underWay = new Set<RunningJob>();

  /** Fulfilled when none of these jobs is under way any more, or none at all. */
  ended(these: ReadonlySet<RunningJob> | undefined, isOver: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const look = () => {
        const left =
          these === undefined ? this.underWay.size > 0 : [...these].some((job) => this.underWay.has(job));
        if (left && !isOver()) return;
        clearInterval(looking);
        resolve(!left);
      };
      const looking = setInterval(look, period);
      look();
    });
  }
}

const jobsOfEngines = /* @__PURE__ */ shared('jobs', () => new WeakMap<object, Jobs>());

/** The jobs of a Health, whichever copy of the package started them. */
export function jobsOf(engine: object): Jobs {
  const known = jobsOfEngines.get(engine);
  if (known !== undefined) return known;
  const made = new Jobs();
  jobsOfEngines.set(engine, made);
  return made;
}
