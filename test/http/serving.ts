import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { LogRecord } from 'lifesign';

export { until } from '../core/waiting.js';

/** Listens on a free loopback port until the test is over. */
export async function listening(
  server: Server & { closeAllConnections?: () => void },
  scheme = 'http',
): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A logger and the list it collects into. */
export function collect() {
  const records: LogRecord[] = [];
  const summaries = () => records.filter(({ logger }) => logger === 'request.summary');
  return { records, summaries, logger: { log: (record: LogRecord) => void records.push(record) } };
}
