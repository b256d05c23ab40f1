// Beside others that are preloaded and patch node:http, in both orders; beside OpenTelemetry: test/hosts/otel/auto.test.ts.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startApplication } from './start.js';

const apps = join(import.meta.dirname, 'apps');
const flags = [`--require ${join(apps, 'patcher.cjs')}`, '--require lifesign/auto'];

describe.each(['mjs', 'cjs'] as const)('.%s', (form) => {
  test.each(['before', 'after'])('a patcher as dd-trace is one, which is loaded %s it', async (order) => {
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
