import { hasMethods } from '../client.js';
import type { Life } from '../life.js';
import { recognise, type Shape } from '../recognise.js';
import type { Runs } from './due.js';
import {
  type CronerJob,
  type CronJobLike,
  isCroner,
  isCronJob,
  isNodeCron,
  type NodeCronTask,
} from './job-shapes.js';

/** The reports of a scheduler: its runs, and whether it was stopped. */
export interface JobState extends Runs {
  readonly stopped: boolean;
}

/** All jobs, by their kind. */
interface Jobs {
  readonly cron: CronJobLike;
  readonly nodeCron: NodeCronTask;
  readonly croner: CronerJob;
}

/** Creates the adapter of each kind once its code is loaded. */
export type JobAdapters = { readonly [Kind in keyof Jobs]: (job: Jobs[Kind], life: Life) => () => JobState };

export interface RecognisedJob {
  /** Whether it knows when its next run is. */
  readonly knowsNext: boolean;
  adopt(adapters: JobAdapters, life: Life): () => JobState;
}

function kind<Kind extends keyof Jobs>(
  name: Kind,
  names: readonly string[],
  is: (value: unknown) => value is Jobs[Kind],
): Shape<RecognisedJob> {
  return {
    names,
    recognise: (value) =>
      is(value)
        ? {
            knowsNext:
              hasMethods(value, 'nextDate') ||
              hasMethods(value, 'nextRun') ||
              hasMethods(value, 'getNextRun'),
            adopt: (adapters, life) => adapters[name](value, life),
          }
        : undefined,
  };
}

const shapes: readonly Shape<RecognisedJob>[] = [
  kind('cron', ['cron CronJob'], isCronJob),
  kind('nodeCron', ['node-cron task'], isNodeCron),
  kind('croner', ['croner Cron'], isCroner),
];

export const jobNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseJob = (value: unknown): RecognisedJob | undefined => recognise(shapes, value);
