// A service whose heap fills up: node --import tsx --max-old-space-size=100 --expose-gc heap-app.ts. It sends what its probes say.
import { createServer } from 'node:http';
import { getHeapSpaceStatistics } from 'node:v8';
import { checks, Health } from 'lifesign/node';

const limit = 100 * 2 ** 20;
const health = new Health(createServer(), {
  probes: { probeEvery: 100, startWhen: 'called', restartAfter: 300 },
  logger: false,
});
// An instance that was never ready is not restarted: a restart would not help it.
const wasWell = new Promise<void>((resolve) => {
  health.on('verdictChanged', ({ ready }) => ready === 'pass' && resolve());
});
health.check(checks.heap({ used: 0.65, gc: 0.2, after: 600 }));
health.started();
health.on('verdictChanged', ({ health: _own, ...change }) => process.send?.(change));
health.on('heartbeatFailed', ({ report }) => process.send?.({ report }));

const kept: object[] = [];
function oldGeneration(): number {
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
  return spaces.reduce((sum, space) => sum + space.space_used_size, 0);
}

/** Fills a share of the heap with what stays: garbage that still lay there would go with the next collection. */
function fill(share: number): void {
  globalThis.gc?.();
  while (oldGeneration() < share * limit) kept.push(Array.from({ length: 20_000 }, Math.random));
}

/** Collects for about half of the time, as V8 does in a heap that is full. Above 80 % of the limit it may end the process. */
function collect(): void {
  const start = performance.now();
  globalThis.gc?.();
  setTimeout(collect, performance.now() - start);
}

setInterval(() => void health.heartbeat(), 50);
await wasWell;
fill(0.72);
collect();
// The test has seen enough.
process.on('message', () => fill(2));
