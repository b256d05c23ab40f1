import type { Engine } from '../core/engine.js';
import { currentRequest, type RequestContext, runInRequest } from '../core/request/request.js';
import { shared } from '../core/shared.js';
import { RunningJob } from './job.js';
import { type Jobs, jobsOf } from './jobs.js';

/** A message that a framework handles: it counts as a job, and has a summary only if it is cut off. */
interface Message {
  run<T>(handle: () => T): T;
  end(): void;
}

interface Handling {
  readonly job: RunningJob;
  readonly jobs: Jobs;
  isOver: boolean;
}

const messages = /* @__PURE__ */ shared('messages', () => new WeakMap<RequestContext, Handling>());

export function beginMessage<Request, FrameworkRequest>(
  engine: Engine<Request, FrameworkRequest>,
  name: string,
): Message {
  const job = new RunningJob(name, undefined, 1, undefined, engine.options.requestContext);
  const jobs = jobsOf(engine);
  const handling: Handling = { job, jobs, isOver: false };
  messages.set(job.context, handling);
  jobs.underWay.add(job);
  return {
    run: (handle) => runInRequest(job.context, handle),
    end() {
      handling.isOver = true;
      jobs.underWay.delete(job);
    },
  };
}

/** Counts a message and the job that its handler runs as one. Returns a function that counts the message again. */
export function insteadOfMessage(): () => void {
  const context = currentRequest();
  const handling = context === undefined ? undefined : messages.get(context);
  if (handling === undefined || !handling.jobs.underWay.delete(handling.job)) return () => {};
  return () => {
    if (!handling.isOver) handling.jobs.underWay.add(handling.job);
  };
}
