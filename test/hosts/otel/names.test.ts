import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, onTestFinished, test } from 'vitest';
import { checks } from 'lifesign';
import { compile } from '../../examples/tsx-app.js';
import { makeHealth } from '../../metrics/make.js';
import { whole } from '../../whole.js';

/** Every instrument that lifesign creates, and the attributes of what it observes, from a provider that only writes them down. */
async function created() {
  const found = new Map<string, { kind: string; unit: string }>();
  const attributes = new Map<string, unknown>();
  let observe = async () => {};
  const create =
    (kind: string) =>
    (name: string, { unit }: { unit: string }) => {
      found.set(name, { kind, unit });
      return { record: () => {} };
    };
  const meter = {
    createObservableGauge: create('gauge'),
    createObservableCounter: create('counter'),
    createHistogram: create('histogram'),
    addBatchObservableCallback: (callback: (result: object) => Promise<void>) => {
      const result = {
        observe: (_: object, _value: number, given: object) =>
          Object.entries(given).forEach(([name, value]) => attributes.set(name, value)),
      };
      observe = () => callback(result);
    },
    removeBatchObservableCallback: () => {},
  };
  metrics.setGlobalMeterProvider({ getMeter: () => meter } as never);
  const { health } = makeHealth({ otel: true, probes: { startWhen: 'called' } });
  onTestFinished(() => {
    health.close();
    metrics.disable();
  });
  health.check('storage', () => new checks.Error('Broken', { id: 'a.E1' }));
  health.versionCallback(() => ({ commit: 'abc', version: '1', build: 'https://ci.example/7', source: '' }));
  await health.heartbeat();
  await observe();
  return { found, attributes };
}

test('the page has a row for each, with its instrument and unit', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');
  const rows = Array.from(
    page.matchAll(/^\| `(lifesign\.[^`]+)` \| (\w+)[^|]*\| `(.+?)` \|/gm),
    ([, name = '', kind = '', unit = '']) => [name, { kind, unit }] as const,
  );
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries((await created()).found));
});

test('attributes are ours, or those of the conventions; an empty field of the build has none', async () => {
  const { attributes } = await created();
  expect(Object.fromEntries(attributes)).toMatchObject({
    'service.version': '1',
    'vcs.ref.head.revision': 'abc',
    'cicd.pipeline.run.url.full': 'https://ci.example/7',
    'lifesign.check.name': 'storage',
    'lifesign.message.id': 'a.E1',
    'lifesign.status': 'error',
  });
  expect(attributes.has('vcs.repository.url.full')).toBe(false);
  const known = new Set<unknown>(Object.values(conventions));
  for (const name of attributes.keys()) expect(known.has(name) || name.startsWith('lifesign.')).toBe(true);
});

test.runIf(whole)('this folder compiles', async () => {
  await compile(import.meta.dirname);
});
