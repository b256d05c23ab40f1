/** What a handler is given of its job. */
export interface Job {
  readonly name: string;
  /** As it was given, as a text; empty without one. */
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** Aborted when the process ends before the job does: hand it back to its queue. */
  readonly signal: AbortSignal;
}

/** What is known of a job beside its name and its id. */
export interface JobOptions {
  /** Which attempt this is, 1 for the first. Default 1. */
  readonly attempt?: number | undefined;
  /** The id of the request that caused the job: `requestId()` gives it inside, and lines of both can be found by it. Default: the id of the job. */
  readonly requestId?: string | undefined;
}

/** The id of a job as queues have it. */
export type JobId = string | number | bigint | null | undefined;
