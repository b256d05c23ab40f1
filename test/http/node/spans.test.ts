import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { Health } from 'lifesign/node';
import { ids, registerContexts, spanId, spanKey, spanOf, traceId } from '../../core/request/otel-globals.js';
import { collect, listening, until } from '../serving.js';

/** A server whose requests have a span, as the instrumentation of OpenTelemetry opens it: below `emit`, after a Health on the server. */
function serverInSpans() {
  const { run } = registerContexts();
  const server = createServer((_req, res) => void setImmediate(() => res.end()));
  const emit = server.emit.bind(server);
  server.emit = (event: string, ...args: readonly unknown[]) => {
    const go = () => emit(event, ...args);
    return event === 'request' ? run({ [spanKey]: spanOf(traceId, spanId) }, go) : go();
  };
  return server;
}

test('the span that is opened after the Health has the request is in its summary, by one listener for all requests', async () => {
  const server = serverInSpans();
  const { logger, summaries } = collect();
  new Health(server, { logger });
  const before = server.listenerCount('request');
  const origin = await listening(server);
  for (let times = 0; times < 3; times += 1) await (await fetch(origin)).text();
  await until(() => summaries().length === 3);
  for (const { fields } of summaries()) expect(fields).toMatchObject(ids);
  expect(server.listenerCount('request')).toBe(before + 1);
});
