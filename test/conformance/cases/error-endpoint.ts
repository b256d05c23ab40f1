import { strict as assert } from 'node:assert';
import { ask, assertApplication, type Case, get, recordsOf } from '../case.js';
import type { RunningHost } from '../host.js';

const token = 'c0ffee-c0ffee-c0ffee-c0ffee-c0ffee';
const on = { errorEndpoint: { token } };
const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
const thrown = /^The \/__error__ endpoint was called: /;

/** What the endpoint logs itself, once a call. */
const calls = (host: RunningHost) =>
  host.records.filter(
    ({ logger, msg }) => logger === 'health' && msg === 'The /__error__ endpoint was called',
  );

export const errorEndpointCases: readonly Case[] = [
  {
    name: 'error endpoint: an error of the application, with its answer, one summary and one line of the call',
    setup: () => ({ options: on }),
    async run(host) {
      const own = await get(host, '/boom');
      const reply = await get(host, '/__error__', { ...bearer(token), 'X-Request-Id': 'tracked-1' });
      assert.equal(reply.status, 500);
      assert.equal(reply.headers['content-type'], own.headers['content-type']);
      assert.doesNotMatch(reply.body, new RegExp(token));
      const [, summary] = await recordsOf(host, 'request.summary', 2);
      assert.equal(summary?.level, 40);
      assert.match(summary.msg ?? '', thrown);
      const { errno, code, path, method, rid } = summary.fields;
      assert.deepEqual([errno, code, path, method, rid], [500, 500, '/__error__', 'GET', 'tracked-1']);
      assert.deepEqual(
        calls(host).map(({ level }) => level),
        [40],
      );
    },
  },
  {
    name: 'error endpoint: with a slash, a query and any method; the scheme in any case',
    setup: () => ({ options: on }),
    async run(host) {
      const asked: [string, string][] = [
        ['GET', '/__error__/'],
        ['GET', '/__error__?x=1'],
        ['POST', '/__error__'],
      ];
      // There, an answer to HEAD that has a body is over with its HTTP/2 session: docs/node.md says so.
      if (!('Deno' in globalThis)) asked.push(['HEAD', '/__error__']);
      for (const [method, target] of asked) {
        assert.equal((await ask(host, method, target, { authorization: `BEARER  ${token}` })).status, 500);
      }
      const summaries = await recordsOf(host, 'request.summary', asked.length);
      for (const { msg, fields } of summaries)
        assert.deepEqual([thrown.test(msg ?? ''), fields['errno']], [true, 500]);
      assert.equal(calls(host).length, asked.length);
    },
  },
  {
    name: 'error endpoint: without the token there is no such path',
    setup: () => ({ options: on }),
    async run(host) {
      const attempts: Record<string, string>[] = [
        {},
        bearer(''),
        bearer(token.slice(0, -1)),
        bearer(`${token}x`),
        bearer(token.toUpperCase()),
        bearer(`${token},${token}`),
        { Authorization: token },
        { Authorization: `Basic ${token}` },
        { 'X-Token': token },
      ];
      for (const headers of attempts) assertApplication(await get(host, '/__error__', headers));
      assertApplication(await get(host, `/__error__?token=${token}`));
      assertApplication(await ask(host, 'POST', '/__error__'));
      const summaries = await recordsOf(host, 'request.summary', attempts.length + 2);
      for (const { msg, fields } of summaries) {
        assert.deepEqual([msg, fields['code'], fields['errno']], [undefined, 404, 0]);
      }
      assert.equal(calls(host).length, 0);
    },
  },
  {
    name: 'error endpoint: no other path, and none without the option',
    setup: () => ({ options: on }),
    async run(host) {
      const others = [
        '/__error__x',
        '/__error__/x',
        '/__error__//',
        '/__ERROR__',
        '//__error__',
        '/%5F_error__',
        '/error',
      ];
      for (const target of others) assertApplication(await get(host, target, bearer(token)));
      assert.equal((await get(host, '/', bearer(token))).status, 200);
    },
  },
  {
    name: 'error endpoint: off by default',
    run: async (host) => assertApplication(await get(host, '/__error__', bearer(token))),
  },
  {
    name: 'error endpoint: other requests at the same time are not touched, nor are later ones',
    setup: () => ({ options: on }),
    async run(host) {
      const targets = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? '/__error__' : '/'));
      const replies = await Promise.all(targets.map((target) => get(host, target, bearer(token))));
      assert.deepEqual(
        replies.map(({ status }) => status),
        targets.map((target) => (target === '/' ? 200 : 500)),
      );
      const summaries = await recordsOf(host, 'request.summary', targets.length);
      for (const { fields, msg } of summaries) {
        assert.equal(thrown.test(msg ?? ''), fields['path'] === '/__error__');
      }
      assert.equal((await get(host, '/')).status, 200);
    },
  },
  {
    name: 'error endpoint: without summaries and request context too',
    setup: () => ({ options: { ...on, summary: false, requestContext: false } }),
    async run(host) {
      assert.equal((await get(host, '/__error__', bearer(token))).status, 500);
      assertApplication(await get(host, '/__error__'));
      assert.equal(calls(host).length, 1);
    },
  },
];
