/** The argument of a job's handler. */
export interface Job {
  readonly name: string;
  /** The id as a string; empty without one. */
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted when the process ends before the job: return the job to its queue. */
  readonly signal: AbortSignal;
}

/** Optional facts about a job, besides its name and id. */
export interface JobOptions {
  /** Which attempt this is, 1 for the first. Default 1. */
  readonly attempt?: number | undefined;
  /** The id of the request that caused the job: `requestId()` returns it inside the job, so you can find the lines of both. Default: the id of the job. */
  readonly requestId?: string | undefined;
}

/** The id of a job as queues have it. */
export type JobId = string | number | bigint | null | undefined;
