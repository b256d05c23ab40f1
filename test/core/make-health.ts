import { type Answer, createHandler, type HealthOptions, type LogRecord } from 'lifesign';

/** A Health without a framework, everything it logs, and what it answers. */
export function makeHealth(options: HealthOptions = {}) {
  const records: LogRecord[] = [];
  const handle = createHandler({ logger: { log: (record) => void records.push(record) }, ...options });
  const ask = async (target = '/__heartbeat__', request: unknown = {}, method = 'GET'): Promise<Answer> => {
    const answer = await handle(method, target, request);
    if (answer === undefined) throw new Error(`nobody answers ${target}`);
    return answer;
  };
  /** Status and body of a JSON answer. */
  const report = async (target?: string) => {
    const { status, body } = await ask(target);
    return { status, body: JSON.parse(body) };
  };
  return { health: handle.health, handle, records, ask, report };
}
