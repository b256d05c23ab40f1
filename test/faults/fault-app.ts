// An application whose dependencies and surroundings fail, as a process of its own, with the default logger.
// Its port goes to standard error, because standard output is what some faults break.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { type Check, Warning } from 'lifesign/checks';
import { drainOnSignals } from 'lifesign/drain';
import { Health } from 'lifesign/node';
import { block } from '../core/waiting.js';

/** What the test wants of it. */
export interface FaultSetup {
  readonly options?: object;
  /** Names of the checks below. */
  readonly checks?: readonly string[];
  readonly redis?: string;
}

// tsx turns source maps on, which makes each stack of a failing check cost a hundred times what it costs a built application.
process.setSourceMapsEnabled(false);

const setup: FaultSetup = JSON.parse(process.argv[2] ?? '{}');
const runs: Record<string, number> = {};
const checks: Record<string, Check> = {
  fine: () => [],
  throws: () => {
    throw new Error('the dependency is down');
  },
  rejects: async () => Promise.reject(new Error('the dependency is down')),
  warns: async () => [new Warning('slow', { id: 'fault.W001' })],
  hangs: () => new Promise<never>(() => {}),
};

const server = createServer();
const redis = setup.redis === undefined ? undefined : new Redis(setup.redis);
const health = new Health(server, { summary: false, ...setup.options, ...(redis && { redis }) });
for (const name of setup.checks ?? []) {
  health.check(name, (context) => {
    runs[name] = (runs[name] ?? 0) + 1;
    return checks[name]?.(context);
  });
}

const routes: Record<string, () => unknown> = {
  '/stats': () => {
    globalThis.gc?.();
    const { heapUsed } = process.memoryUsage();
    return { runs, heapUsed, now: Date.now(), resources: process.getActiveResourcesInfo() };
  },
  // The answers of the dependency wait in the socket while the loop is blocked for longer than they may take.
  '/block': async () => {
    const beating = health.heartbeat();
    setImmediate(() => block(1500));
    const { status, results } = await beating;
    return { status, messages: results.flatMap(({ messages }) => messages) };
  },
};
server.on('request', (req, res) => {
  void Promise.resolve(routes[req.url ?? '']?.() ?? {}).then((body) => res.end(JSON.stringify(body)));
});
drainOnSignals(health, { server, delay: 0, onShutdown: [() => redis?.disconnect()] });
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`${(server.address() as AddressInfo).port}\n`);
});
