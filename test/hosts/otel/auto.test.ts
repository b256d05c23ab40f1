// `lifesign/auto` beside OpenTelemetry, which is preloaded too, in both orders.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startApplication } from '../../auto/start.js';
import { until } from '../../core/waiting.js';
import { chosen } from '../../whole.js';

describe.each(['mjs', 'cjs'] as const)('.%s', (form) => {
  const load = form === 'cjs' ? '--require' : '--import';
  const flags = [`${load} ${join(import.meta.dirname, `preload.${form}`)}`, `${load} lifesign/auto`];

  test.each(chosen(['before', 'after'], form === 'mjs' ? 'before' : 'after'))(
    'loaded %s it: each line leads to its span',
    async (order) => {
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
});
