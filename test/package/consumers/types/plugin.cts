import type { HealthCore } from 'lifesign';
import { checks, type Health } from 'lifesign/fetch';

export function addDiskCheck(health: HealthCore<never>): void {
  health.check('disk', () => [new checks.Info('Half full', { id: 'plugin.I001' })]);
}

export function nameOf(health: Health): string {
  return health.options.loggerName;
}

export const warning: checks.Warning = new checks.Warning('Slow', { id: 'plugin.W001' });
