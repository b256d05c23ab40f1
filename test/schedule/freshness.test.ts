import { onTestFinished, test } from 'vitest';
import { checks, Health } from 'lifesign/fetch';
import { until } from '../core/waiting.js';

/** A Health on a schedule. Its endpoints are read, and no heartbeat or probe is requested. */
function scheduled(options: object) {
  const state = { fails: false };
  const health = new Health({ logger: false, every: '100ms', details: true, ...options });
  onTestFinished(() => health.close());
  health.check('storage', () => (state.fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  const serve = health.wrap(() => new Response('app'));
  const read = async (path: string) => (await serve(new Request(`http://localhost${path}`))).text();
  return { health, state, read };
}

test.each([
  [
    'metrics',
    '/__metrics__',
    '\nlifesign_check_up{check="storage"} 1\n',
    '\nlifesign_check_up{check="storage"} 0\n',
  ],
  ['page', '/__health__.json', '"status":"ok"', 'acme.E001'],
])('the %s is current without a request for a heartbeat', async (option, path, passes, fails) => {
  const { state, read } = scheduled({ [option]: true });
  const reads = (text: string) => until(async () => (await read(path)).includes(text));
  await reads(passes);
  state.fails = true;
  await reads(fails);
  state.fails = false;
  await reads(passes);
});

test('verdicts are current without a probe', async () => {
  const { health, state } = scheduled({ probes: true });
  const verdicts: string[] = [];
  health.on('verdictChanged', ({ ready }) => void verdicts.push(ready));
  health.started();
  await until(() => verdicts.at(-1) === 'pass');
  state.fails = true;
  await until(() => verdicts.at(-1) === 'fail');
  state.fails = false;
  await until(() => verdicts.at(-1) === 'pass');
});
