import { hasMethods } from '../client.js';
import type { Life } from '../life.js';
import { type Adapters, recognise, type Recognised, shapesOf } from '../recognise.js';
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
export type JobAdapters = Adapters<Jobs, () => JobState, [life: Life]>;

interface JobFacts {
  /** Whether it knows when its next run is. */
  readonly knowsNext: boolean;
}

export type RecognisedJob = Recognised<Jobs, JobFacts>;

const factsOf = (job: unknown): JobFacts => ({
  knowsNext: hasMethods(job, 'nextDate') || hasMethods(job, 'nextRun') || hasMethods(job, 'getNextRun'),
});

const shapes = shapesOf<Jobs, JobFacts>({
  cron: [['cron CronJob'], isCronJob, factsOf],
  nodeCron: [['node-cron task'], isNodeCron, factsOf],
  croner: [['croner Cron'], isCroner, factsOf],
});

export const jobNames: readonly string[] = shapes.flatMap(({ names }) => names);

export const recogniseJob = (value: unknown): RecognisedJob | undefined => recognise(shapes, value);
