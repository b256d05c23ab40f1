import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { Health } from 'lifesign/express';
import { JsonLogFormatter } from 'lifesign/logging';
import { collecting, listen, type RunningHost } from '../conformance/host.js';
import { exchange, requestText } from './raw-http.js';
import recorded from './recorded.json' with { type: 'json' };
import { parseLine } from './schemas.js';

const throwing =
  (text: string, status = 500) =>
  () => {
    throw Object.assign(new Error(text), { status });
  };

/** The application that the lines were recorded from, as far as they need it. */
async function start(options: object): Promise<RunningHost> {
  const { records, options: all } = collecting({ options: { versionPath: tmpdir(), ...options } });
  const app = express();
  app.set('env', 'test');
  const health = new Health(app, all);
  app.get(['/', '/log'], (_req, res) => void res.json({ hello: 'world' }));
  app.get('/teapot', (_req, res) => void res.status(418).json({}));
  app.get('/forbid', throwing('not yours', 403));
  app.get('/raise404', throwing('nothing', 404));
  app.get('/boom', throwing('boom from app'));
  app.get('/boomnl', throwing('line1\nline2 ☃'));
  app.get('/boomjson', throwing('{"a": 1}'));
  return listen(createServer(app), health, records);
}

const formatter = new JsonLogFormatter({ loggerName: 'acme', hostname: 'HOSTNAME', pid: 4242 });
const newId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('summaries as recorded', () => {
  for (const { what, options, request, status, line } of recorded.requests) {
    it(`${request.method} ${request.path}: ${what}`, async () => {
      const host = await start(options);
      const { method, path, headers } = request;
      const sent = requestText(method, path, [...headers, ['Connection', 'close']]);
      expect(await exchange(host.port, sent)).toEqual([status]);
      await host.close();

      // A missing version.json is told by the logger `health`, which was not recorded.
      const summaries = host.records.filter(({ logger }) => logger !== 'health');
      const lines = summaries.map((record) => parseLine(formatter.format(record)));
      expect(lines).toHaveLength(1);
      const { rid, t, ...fields } = lines[0]?.Fields ?? {};
      const { rid: recordedId, ...recordedFields } = line.Fields;
      // `code` is in every summary of ours.
      // And so is what was thrown, also where its text looks like JSON.
      const kept = path === '/boomjson' ? { msg: 'Error: {"a": 1}' } : {};
      expect(fields).toEqual({ ...recordedFields, ...kept, code: status });
      // Of an id that is sent twice the first counts; the recorded host joined them.
      const [first] = recordedId.split(',');
      expect(rid).toEqual(recordedId === '(new)' ? expect.stringMatching(newId) : first);
      expect(t).toBeGreaterThanOrEqual(0);
      const { Fields: _fields, ...envelope } = line;
      expect(lines[0]).toMatchObject(envelope);
    });
  }
});
