import { expect, test } from 'vitest';
import { type Exported, type Line, startShop } from './start.js';
import { chosen, whole } from '../../whole.js';

const server = 1;
const probes = ['/__heartbeat__', '/__lbheartbeat__', '/__version__', '/status', '/__heartbeat__?x=1'];
const orders = Array.from({ length: 12 }, (_item, index) => `/orders/${index}`);
const served = [...orders, '/boom', '/nowhere'];

const fieldsOf = (lines: readonly Line[], type: string) =>
  lines.filter(({ Type }) => Type === type).map(({ Fields }) => Fields);

/** The exported span of the server that a line names, by both ids. */
const spanOf = ({ spans }: Exported, { trace_id: trace, span_id: span }: Line['Fields']) =>
  spans.find(({ kind, traceId, spanId }) => kind === server && traceId === trace && spanId === span);

const apps = ['express', 'fastify', 'koa', 'nest', 'node'].flatMap((name) => [`${name}.mjs`, `${name}.cjs`]);

test.each(chosen(apps, 'nest.cjs'))(
  '%s: each line leads to the span of its request, and probes make none',
  async (app) => {
    const env = {
      IGNORE_PROBES: 'true',
      HEALTH_OTEL: 'true',
      HEALTH_PAGE: 'true',
      HEALTH_PAGE_PATH: '/status',
    };
    const shop = await startShop(app, env);
    // All at once: the line of each must have its own.
    await Promise.all(served.map((path) => shop.get(path)));
    for (const path of probes) await shop.get(path);
    const lines = await shop.lines(served.length + probes.length);
    const exported = await shop.exported();

    const summaries = fieldsOf(lines, 'request.summary');
    const ofShop = summaries.filter(({ path }) => served.includes(String(path)));
    expect(ofShop.map(({ path }) => path).toSorted()).toEqual(served.toSorted());
    for (const fields of ofShop) expect(spanOf(exported, fields)?.path).toBe(fields['path']);
    expect(new Set(ofShop.map(({ trace_id: id }) => id)).size).toBe(served.length);

    const ofProbes = summaries.filter(({ path }) => !served.includes(String(path)));
    expect(ofProbes).toHaveLength(probes.length);
    for (const fields of [...ofProbes, ...fieldsOf(lines, 'health.checks')]) {
      expect(fields).not.toHaveProperty('trace_id');
    }
    const paths = exported.spans.filter(({ kind }) => kind === server).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(served.toSorted());

    const up = exported.metrics.find(({ name }) => name === 'lifesign.check.up');
    expect(up).toMatchObject({ value: 0, attributes: { 'lifesign.check.name': 'storage' } });
  },
);

/** That only what the application served has spans and points, with nothing said about probes. */
async function expectSilence(shop: Awaited<ReturnType<typeof startShop>>) {
  // Twice: the second request of a connection is another way.
  for (const path of [...probes, ...probes]) await shop.get(path);
  await shop.get('/orders/1');
  await shop.lines(probes.length * 2 + 1);
  const exported = await shop.exported();
  const paths = exported.spans.filter(({ kind }) => kind === server).map(({ path }) => path);
  expect(paths).toEqual(['/orders/1']);
  expect(new Set(exported.spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(exported.served).toBe(1);
}

const silentPage = { HEALTH_PAGE: 'true', HEALTH_PAGE_PATH: '/status' };

test.each(chosen(apps, 'fastify.cjs'))(
  '%s: without the hook, probes make no spans and no points either',
  async (app) => {
    await expectSilence(await startShop(app, silentPage));
  },
);

const auto = ['--import', 'lifesign/auto'];

const loadings = ['plain.mjs', 'plain.cjs'].flatMap((app) => [
  { app, order: (otel: string[]) => [...auto, ...otel], first: 'lifesign/auto' },
  { app, order: (otel: string[]) => [...otel, ...auto], first: 'OpenTelemetry' },
]);

test.each(whole ? loadings : loadings.slice(0, 1))(
  '$app: neither do those of lifesign/auto, with $first first',
  async ({ app, order }) => {
    await expectSilence(await startShop(app, silentPage, order));
  },
);

test('without summaries too', async () => {
  const shop = await startShop('express.mjs', { HEALTH_SUMMARY: 'false' });
  await shop.get('/__heartbeat__');
  await shop.get('/orders/1');
  const { spans, served } = await shop.exported();
  expect(spans.filter(({ kind }) => kind === server).map(({ path }) => path)).toEqual(['/orders/1']);
  expect(served).toBe(1);
});
