import { createHandler, type HealthOptions, type LogRecord } from 'lifesign';
import { parse } from './parse.js';

/** A Health without a framework, with its log lines. */
export function makeHealth(options: HealthOptions<object> = {}) {
  const records: LogRecord[] = [];
  const logger = { log: (record: LogRecord) => void records.push(record) };
  const handle = createHandler<object>({ versionPath: '/nowhere', logger, ...options });
  const ask = async (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const answer = await handle(method, target, { headers });
    if (answer === undefined) throw new Error(`Nobody answers ${target}`);
    return answer;
  };
  return {
    health: handle.health,
    records,
    ask,
    scrape: async () => parse((await ask('/__metrics__')).body),
  };
}
