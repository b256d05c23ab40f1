// Beside others that are preloaded and patch node:http, in both orders.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { startApplication } from './start.js';

const apps = join(import.meta.dirname, 'apps');
const preload = (file: string) => `--${file.endsWith('.cjs') ? 'require' : 'import'} ${join(apps, file)}`;
const auto = (form: string) => `--${form === 'cjs' ? 'require' : 'import'} lifesign/auto`;

describe.each(['mjs', 'cjs'] as const)('.%s', (form) => {
  test.each(['before', 'after'])(
    'OpenTelemetry, which is loaded %s it: each line leads to its span',
    async (order) => {
      const flags = [preload(`otel.${form}`), auto(form)];
      const options = (order === 'before' ? flags : flags.toReversed()).join(' ');
      const app = await startApplication('node', form, { options });
      const paths = ['/', '/stream', '/nowhere', '/?n=1'];
      await Promise.all(paths.map(async (path) => (await fetch(app.origin + path)).text()));
      expect((await fetch(`${app.origin}/__heartbeat__`)).status).toBe(200);
      const summaries = (await app.summaries(5)).filter(({ path }) => path !== '/__heartbeat__');
      const ids = summaries.map(({ trace_id: trace, span_id: span }) => `${trace} ${span}`);
      expect(new Set(ids).size).toBe(paths.length);
      app.child.kill('SIGUSR2');
      await until(() => app.stderr().includes(']\n'));
      for (const id of ids) expect(app.stderr()).toContain(`"${id}"`);
    },
  );

  test.each(['before', 'after'])('a patcher as dd-trace is one, which is loaded %s it', async (order) => {
    const flags = [preload('patcher.cjs'), auto('cjs')];
    const options = (order === 'before' ? flags : flags.toReversed()).join(' ');
    const app = await startApplication('node', form, { options });
    await (await fetch(`${app.origin}/`)).text();
    expect(await (await fetch(`${app.origin}/__lbheartbeat__`)).text()).toBe('{"status":"ok"}');
    expect(await app.summaries(2)).toHaveLength(2);
    // The patcher sees what is the application's, as without lifesign.
    expect(app.stderr().match(/^seen \/$/gm)).toHaveLength(1);
    expect(app.stderr().match(/^listens$/gm)).toHaveLength(1);
  });
});
