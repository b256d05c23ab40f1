import type { LogRecord } from 'lifesign';
import { HealthCore, engineOf } from '../../src/core/health.js';
import type { CoreOptions } from '../../src/core/options/options.js';
import { resolveOptions } from '../../src/core/options/resolve-options.js';
import { openFeatures } from '../../src/profiles/features.js';
import { parse } from './parse.js';

/** A Health with its features and without a framework. */
export function makeHealth(options: CoreOptions = {}) {
  const records: LogRecord[] = [];
  const logger = { log: (record: LogRecord) => void records.push(record) };
  const resolved = resolveOptions(options, { versionPath: '/nowhere', logger: () => logger });
  const health = new HealthCore(resolved, openFeatures);
  const ask = async (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const answer = await engineOf(health).handle(method, target, { headers });
    if (answer === undefined) throw new Error(`Nobody answers ${target}`);
    return answer;
  };
  return {
    health,
    records,
    ask,
    scrape: async () => parse((await ask('/__metrics__')).body),
  };
}
