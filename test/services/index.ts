import { inject } from 'vitest';
import { type ServiceName, services } from './list.js';
import type { RunningService, StartOptions } from './service.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Addresses of the shared servers; a service that is missing here is not to be had. */
    services: Partial<Record<ServiceName, string>>;
    /** Services that a test may start for itself, to freeze or kill them. */
    startable: readonly ServiceName[];
  }
}

/**
 * The address of a shared server. Tests leave it as they found it: own tables, own keys.
 *
 * @example describe.skipIf(sharedService('redis') === undefined)('…', () => …)
 */
export function sharedService(name: ServiceName): string | undefined {
  return inject('services')[name];
}

/** Whether tests can start a server of their own: `describe.skipIf(!canStart('postgres'))`. */
export function canStart(name: ServiceName): boolean {
  return inject('startable').includes(name);
}

/** Starts a server that belongs to the caller, who stops it. */
export function startService(name: ServiceName, options?: StartOptions): Promise<RunningService> {
  return services[name].start(options);
}
