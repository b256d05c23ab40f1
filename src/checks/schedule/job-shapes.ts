import { hasMethods } from '../client.js';

/** A `CronJob` of cron. */
export interface CronJobLike {
  lastDate(): Date | null;
  nextDate(): unknown;
  fireOnTick(): unknown;
}

/** A task of node-cron. */
export interface NodeCronTask {
  getStatus(): unknown;
  execute(...given: never): unknown;
  on(event: never, heard: never): unknown;
}

/** A `Cron` of croner. */
export interface CronerJob {
  previousRun(): Date | null;
  nextRun(): Date | null;
  isStopped(): boolean;
}

/** A scheduler's job that reports its runs. */
export type ScheduledJob = CronJobLike | NodeCronTask | CronerJob;

export const isCronJob = (value: unknown): value is CronJobLike =>
  hasMethods(value, 'lastDate', 'nextDate', 'fireOnTick');
export const isCroner = (value: unknown): value is CronerJob =>
  hasMethods(value, 'previousRun', 'nextRun', 'isStopped');
export const isNodeCron = (value: unknown): value is NodeCronTask =>
  hasMethods(value, 'getStatus', 'execute', 'on');
