import type { Logger, LogRecord } from 'lifesign';
import { engineOf, HealthCore } from '../../src/core/health.js';
import type { CoreOptions } from '../../src/core/options/options.js';
import { resolveOptions } from '../../src/core/options/resolve-options.js';

/** A Health without a framework, and everything it logs. */
export function makeHealth(
  options: CoreOptions = {},
  given?: Logger,
): { health: HealthCore; records: LogRecord[] } {
  const records: LogRecord[] = [];
  const logger = given ?? { log: (record: LogRecord) => void records.push(record) };
  return {
    health: new HealthCore(resolveOptions(options, { versionPath: '.', logger: () => logger })),
    records,
  };
}

/** What `/__heartbeat__` answers, its body parsed. */
export async function report(health: HealthCore): Promise<{ status: number; body: unknown }> {
  const answer = await engineOf(health).handle('GET', '/__heartbeat__', undefined);
  if (answer === undefined) throw new Error('no answer');
  return { status: answer.status, body: JSON.parse(answer.body) };
}
