import { createServer } from 'node:http';
import { drainOnSignals } from 'lifesign/drain';

/** The process shuts down from now on, as after a signal; the test goes on. */
export function leave(health: Parameters<typeof drainOnSignals>[0], failLbheartbeat = true): void {
  const never = { signals: [], delay: 3_600_000, timeout: 7_200_000, exit() {} };
  void drainOnSignals(health, { server: createServer(), failLbheartbeat, ...never }).start();
}
