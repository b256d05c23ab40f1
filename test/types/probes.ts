// Wrong use does not compile: each line below `@ts-expect-error` is one, and tsc (npm run typecheck) fails where it is none.
import { createServer } from 'node:http';
import type { CheckResult, ProbesOptions, VerdictEvent } from 'lifesign';
import { Health } from 'lifesign/node';
import { HealthModule } from 'lifesign/nestjs';
import { defineConfig } from 'lifesign/adonisjs';

const server = createServer();
const probes: ProbesOptions = {
  live: ['/livez', '/health/live'],
  ready: '/readyz',
  started: [],
  startWhen: 'called',
  failureThreshold: 3,
  successThreshold: 2,
  restartAfter: 60_000,
  secondOpinionEvery: 10_000,
  probeEvery: 1000,
};
const health = new Health(server, {
  probes,
  checkOptions: {
    check_database_connected: {
      scope: 'auto',
      restartAfter: 30_000,
      failureThreshold: 2,
      successThreshold: 2,
    },
  },
});
new Health(server, { probes: true });
server.listen(0, () => health.started());

health.check('search', () => [], { scope: 'shared' });
health.on('verdictChanged', ({ live, ready, started, checks }: VerdictEvent) => {
  const words: readonly ('pass' | 'fail')[] = [live, ready, started];
  return [words, checks.map(({ name, scope, evidence }) => `${name} ${scope} ${evidence}`)];
});
const told = ({ scope, evidence }: CheckResult): string => `${scope ?? ''} ${evidence ?? ''}`;
void health.heartbeat().then(({ results }) => results.map(told));

HealthModule.forRoot({
  BASE_DIR: '.',
  probes: { ...probes, live: '/l', startWhen: 'checks' },
});
defineConfig({ BASE_DIR: '.', probes: { restartAfter: 60_000 } });

// @ts-expect-error there is no such option
new Health(server, { probes: { liveness: '/livez' } });
// @ts-expect-error when it has started
new Health(server, { probes: { startWhen: 'ready' } });
