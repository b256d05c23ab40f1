import { strict as assert } from 'node:assert';
import { ask, type Case, get, recordsOf } from '../case.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const summary: readonly Case[] = [
  {
    name: 'summary: one record per request with the fields of the contract, in order',
    async run(host) {
      await get(host, '/?secret=1', {
        'User-Agent': 'acme/1',
        'Accept-Language': 'tlh',
        'X-Request-Id': 'tracked-1',
      });
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.ok(record !== undefined);
      const { t, ...fields } = record.fields;
      assert.deepEqual(fields, {
        errno: 0,
        agent: 'acme/1',
        lang: 'tlh',
        method: 'GET',
        path: '/',
        code: 200,
        uid: '',
        rid: 'tracked-1',
      });
      assert.deepEqual(Object.keys(record.fields), [...Object.keys(fields), 't']);
      assert.ok(Number.isInteger(t) && Number(t) >= 0);
      assert.equal(record.level, 20);
      assert.equal(record.msg, undefined);
    },
  },
  {
    name: 'summary: absent headers are empty texts and the id is a new UUID for each request',
    async run(host) {
      await get(host, '/');
      await get(host, '/');
      const [first, second] = await recordsOf(host, 'request.summary', 2);
      assert.equal(first?.fields['agent'], '');
      assert.equal(first.fields['lang'], '');
      assert.match(String(first.fields['rid']), uuid);
      assert.match(String(second?.fields['rid']), uuid);
      assert.notEqual(first.fields['rid'], second?.fields['rid']);
    },
  },
  {
    name: 'summary: the three endpoints, 404 and other methods have one each',
    setup: () => ({ versionCallback: () => ({ version: '1' }) }),
    async run(host) {
      const asked: [string, string, number][] = [
        ['GET', '/__version__', 200],
        ['HEAD', '/__heartbeat__', 200],
        ['GET', '/__lbheartbeat__', 200],
        ['POST', '/__heartbeat__', 405],
        ['GET', '/nowhere', 404],
        ['POST', '/echo', 201],
      ];
      for (const [index, [method, path]] of asked.entries()) {
        await ask(host, method, path);
        await recordsOf(host, 'request.summary', index + 1);
      }
      const seen = (await recordsOf(host, 'request.summary', asked.length)).map(({ fields }) => [
        fields['method'],
        fields['path'],
        fields['code'],
      ]);
      assert.deepEqual(seen, asked);
    },
  },
  {
    name: 'summary: what a handler threw is an error record with errno 500 and its text',
    async run(host) {
      await get(host, '/boom', { 'X-Request-Id': 'tracked-1' });
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.level, 40);
      assert.equal(record.msg, 'boom from app');
      assert.equal(record.fields['errno'], 500);
      assert.equal(record.fields['code'], 500);
      assert.equal(record.fields['rid'], 'tracked-1');
      await get(host, '/', { 'X-Request-Id': 'after' });
      const [, next] = await recordsOf(host, 'request.summary', 2);
      assert.equal(next?.fields['rid'], 'after');
      assert.equal(next.fields['errno'], 0);
    },
  },
  {
    name: 'summary: a failed heartbeat has its status as errno, at level info',
    setup: () => ({ checks: { bad: () => Promise.reject(new Error('bad')) } }),
    async run(host) {
      await get(host, '/__heartbeat__');
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.fields['errno'], 500);
      assert.equal(record.level, 20);
      assert.equal(record.msg, undefined);
    },
  },
  {
    name: 'summary: the path is decoded, the query is left out unless asked for',
    async run(host) {
      await get(host, '/caf%C3%A9%20x?token=1');
      await get(host, '/%FF%');
      const [first, second] = await recordsOf(host, 'request.summary', 2);
      assert.equal(first?.fields['path'], '/café x');
      assert.equal('querystring' in first.fields, false);
      assert.equal(second?.fields['path'], '/\uFFFD%');
    },
  },
  {
    name: 'summary: the query, decoded, when asked for',
    setup: () => ({ options: { summary: { querystring: true } } }),
    async run(host) {
      await get(host, '/?x=%D8%B4&y=%');
      await get(host, '/');
      const [first, second] = await recordsOf(host, 'request.summary', 2);
      assert.equal(first?.fields['querystring'], 'x=ش&y=%');
      assert.equal(second?.fields['querystring'], '');
    },
  },
  {
    name: 'summary: off where the option says so',
    setup: () => ({ options: { summary: false } }),
    async run(host) {
      await get(host, '/');
      await get(host, '/__lbheartbeat__');
      await new Promise((resolve) => setTimeout(resolve, 20));
      await recordsOf(host, 'request.summary', 0);
    },
  },
  {
    name: 'summary: the three endpoints are left out where the option says so',
    setup: () => ({ options: { summary: { healthEndpoints: false } } }),
    async run(host) {
      await get(host, '/__lbheartbeat__/');
      await get(host, '/__heartbeat__');
      await get(host, '/');
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.fields['path'], '/');
    },
  },
  {
    name: 'request id: a header that is too long, empty or not visible ASCII is replaced',
    async run(host) {
      const odd = ['r'.repeat(201), ' ', 'a b', 'caf\u00e9'];
      for (const id of odd) await get(host, '/', { 'X-Request-Id': id });
      await get(host, '/', { 'X-Request-Id': 'r'.repeat(200) });
      const records = await recordsOf(host, 'request.summary', odd.length + 1);
      for (const record of records.slice(0, -1)) assert.match(String(record.fields['rid']), uuid);
      assert.equal(records.at(-1)?.fields['rid'], 'r'.repeat(200));
    },
  },
  {
    name: 'request id: from the header the option names, known below the request',
    setup: () => ({ options: { requestIdHeaderName: 'X-Trace' } }),
    async run(host) {
      const reply = await get(host, '/rid', { 'X-Trace': 'trace-1', 'X-Request-Id': 'other' });
      assert.equal(reply.body, '{"rid":"trace-1"}');
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.fields['rid'], 'trace-1');
    },
  },
  {
    name: 'request id: without requestContext only the summary knows it',
    setup: () => ({ options: { requestContext: false } }),
    async run(host) {
      const reply = await get(host, '/rid', { 'X-Request-Id': 'tracked-1' });
      // Where the id is asked for with the request in hand, it is known all the same.
      assert.ok([undefined, null, 'tracked-1'].includes(JSON.parse(reply.body).rid));
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.fields['rid'], 'tracked-1');
    },
  },
];
