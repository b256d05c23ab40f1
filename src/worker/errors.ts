import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import { LifesignError, shown } from '../core/options/errors.js';

/** Logs an error, because its caller may ignore it. */
export function sayError(health: HealthCore<never>, { code, message: msg }: LifesignError): void {
  health.log({ logger: 'health', level: levels.error, time: Date.now(), fields: { code }, msg });
}

export function systemErrorCode(thrown: unknown): string {
  return String(Reflect.get(Object(thrown), 'code'));
}

export const workerListen = (place: string, reason: string, write: string, cause: unknown) =>
  new LifesignError(
    'LIFESIGN_WORKER_LISTEN',
    `The health endpoints cannot be served on ${place} (${reason}). ${write}`,
    { cause },
  );

export const workerFile = (path: string, reason: string, cause?: unknown) =>
  new LifesignError(
    'LIFESIGN_WORKER_FILE',
    `The file ${path} cannot be touched (${reason}). Set the file option, or HEALTH_FILE, to a path in an existing directory that this process can write to, such as /tmp/healthy.`,
    cause === undefined ? undefined : { cause },
  );

export const workerStop = (value: unknown, write: string) =>
  new LifesignError(
    'LIFESIGN_WORKER_STOP',
    `Option stop contains ${shown(value)}, which drainOnSignals cannot stop. ${write}`,
  );

export const jobInvalid = (part: string, value: unknown) =>
  new LifesignError(
    'LIFESIGN_JOB',
    `The ${part} of a job cannot be ${shown(value)}. Write health.job('send-mail', job.id, () => send(job.data), { attempt: 1 }).`,
  );
