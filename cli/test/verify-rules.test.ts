import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../src/http/exchange.js';
import { endpointRules } from '../src/verify/endpoint-rules.js';
import { type EndpointEvidence, endpoints, type Evidence, type Sent } from '../src/verify/evidence.js';
import { fieldsOf, logRules } from '../src/verify/log-rules.js';
import { probeRules } from '../src/verify/probe-rules.js';
import { reportRules } from '../src/verify/report-rules.js';
import { SentRequests } from '../src/verify/sent-requests.js';
import { unpack } from '../src/verify/unpack.js';

const headers = {
  'content-type': 'application/json',
  vary: 'Accept-Encoding',
  'cache-control': 'no-store',
};
const allow = { allow: 'GET, HEAD, OPTIONS' };

function answer(body: unknown, more: Partial<Exchange> = {}): Exchange {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status: 200, headers, body: Buffer.from(text), ms: 1, ...more };
}
const silent = answer('', { status: 0, headers: {}, failure: 'connect ECONNREFUSED' });

/** An endpoint that gives one answer to everyone, and what it does differently. */
function endpoint(get: Exchange, more: Partial<EndpointEvidence> = {}): EndpointEvidence {
  const notFound = answer('{"error":"not found"}', { status: 404 });
  return {
    gets: [get, get, get],
    gzip: get,
    unpacked: { body: get.body },
    conditional: get,
    head: { ...get, body: Buffer.alloc(0) },
    options: answer('', { status: 204, headers: allow }),
    refused: new Map([
      ['POST', answer('', { status: 405, headers: allow })],
      ['TRACE', silent],
    ]),
    slash: get,
    query: get,
    clients: new Map([['Accept: */*', get]]),
    noGzip: get,
    strangers: new Map([['/x', notFound]]),
    ...more,
  };
}
const dead = endpoint(silent, { options: silent, refused: new Map(), strangers: new Map() });

const good = {
  version: {
    commit: 'abcdef0',
    version: '1.0.0',
    source: 'https://git.example/app',
    build: 'https://ci.example/1',
  },
  heartbeat: {
    status: 'warning',
    checks: { db: 'ok', disk: 'warning' },
    details: { disk: { status: 'warning', level: 30, messages: { 'app.W001': 'almost full' } } },
  },
  lbheartbeat: { status: 'ok' },
};
const failing = {
  status: 'error',
  checks: { db: 'error' },
  details: { db: { status: 'error', level: 40, messages: { 'app.E001': 'down' } } },
};

const evidence = (changes: Partial<Evidence> = {}): Evidence => ({
  version: endpoint(answer(good.version)),
  heartbeat: endpoint(answer(good.heartbeat)),
  lbheartbeat: endpoint(answer(good.lbheartbeat)),
  ...changes,
});

const expected = { failedStatusCode: 500, failLevel: 40, maxLatency: 1000 };
const all = [...endpoints.flatMap((name) => endpointRules(name, expected)), ...reportRules(expected)];
/** What the rules object to, by their names. */
function objections(changes: Partial<Evidence>): Record<string, string> {
  const found = all.map(({ name, judge }) => [name, judge(evidence(changes))] as const);
  return Object.fromEntries(
    found.flatMap(([name, verdict]) =>
      verdict !== undefined && 'failed' in verdict ? [[name, verdict.failed]] : [],
    ),
  );
}

test('nothing is wrong with the right answers', () => {
  expect(objections({})).toEqual({});
  expect(objections({ heartbeat: endpoint(answer(failing, { status: 500 })) })).toEqual({});
});

test.each(endpoints)('where %s does not answer, its status says so and no other rule guesses', (name) => {
  const outcomes = all.flatMap((rule) => {
    const verdict = rule.judge(evidence({ [name]: dead }));
    return rule.name.startsWith(`${name}.`) ? [[rule.name, verdict] as const] : [];
  });
  for (const [rule, verdict] of outcomes) {
    expect([rule, verdict]).toEqual([
      rule,
      rule === `${name}.status`
        ? {
            failed:
              'connect ECONNREFUSED instead of ' +
              { version: '200 or 404', heartbeat: '200 or 500', lbheartbeat: '200' }[name],
          }
        : { skipped: expect.stringMatching(/did not answer|there is/) },
    ]);
  }
  expect(outcomes.length).toBeGreaterThan(10);
});

describe('what a report says', () => {
  const detail = good.heartbeat.details.disk;
  test.each<[report: object, code: number, objections: Record<string, string>]>([
    [{ status: 'ok' }, 200, {}],
    [{ status: 'ok', checks: {}, details: {} }, 200, {}],
    [{ status: 'error' }, 200, { code: '200 for status "error"; it must be 500' }],
    [{ status: 'critical' }, 200, { 'other-levels': '200 for status "critical"; it must be 500' }],
    [
      { status: 'fine' },
      200,
      { words: 'status is "fine"; it must be one of ok, debug, info, warning, error, critical' },
    ],
    [
      { ...good.heartbeat, status: 'ok' },
      200,
      { overall: 'status is "ok" but the worst check is "warning"' },
    ],
    [
      { ...good.heartbeat, status: 3 },
      200,
      { shape: 'status is 3; it must be a string', overall: 'status is 3 but the worst check is "warning"' },
    ],
    [{ status: 'ok', checks: [] }, 200, { shape: 'checks is []; it must be an object' }],
    [{ status: 'ok', checks: {} }, 200, { shape: 'details is missing; it must be an object' }],
    [
      { status: 'ok', checks: { a: 1 }, details: {} },
      200,
      { shape: 'checks.a is 1; it must be a string', details: 'check a is 1 but has no details' },
    ],
    [
      { ...good.heartbeat, details: { disk: 'full' } },
      200,
      { shape: 'details.disk must be an object', details: 'check disk is "warning" but has no details' },
    ],
    [{ ...good.heartbeat, details: {} }, 200, { details: 'check disk is "warning" but has no details' }],
    [
      { ...good.heartbeat, details: { disk: detail, db: detail } },
      200,
      { details: 'check db is ok but has details' },
    ],
    [
      { ...good.heartbeat, details: { disk: detail, other: detail } },
      200,
      { details: 'details.other belongs to no check' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, status: 'info', level: 20 } } },
      200,
      { details: 'check disk is "warning" but its details say "info"' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, level: 40 } } },
      200,
      { levels: 'details.disk has level 40; "warning" is 30' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, level: 'x' } } },
      200,
      {
        shape: 'details.disk.level is "x"; it must be an integer',
        levels: 'details.disk has level "x"; "warning" is 30',
      },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, messages: [] } } },
      200,
      { shape: 'details.disk.messages is []; it must map ids to texts' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, messages: {} } } },
      200,
      { messages: 'details.disk.messages is empty; it must explain why' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, messages: { '': 'x' } } } },
      200,
      { messages: 'details.disk.messages has an empty id' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, messages: { a: '' } } } },
      200,
      { messages: 'details.disk.messages has an empty text' },
    ],
    [
      { ...good.heartbeat, details: { disk: { ...detail, messages: { a: 1 } } } },
      200,
      { shape: 'details.disk.messages["a"] is 1; it must be a text' },
    ],
  ])('%j with %i', (report, status, wrong) => {
    expect(objections({ heartbeat: endpoint(answer(report, { status })) })).toEqual(
      Object.fromEntries(Object.entries(wrong).map(([kind, reason]) => [`heartbeat.${kind}`, reason])),
    );
  });
});

describe('what an endpoint does', () => {
  const version = answer(good.version);
  const other = answer({ ...good.version, commit: 'fedcba9' });
  const heartbeat = answer(good.heartbeat);
  const html = { ...headers, 'content-type': 'text/html' };
  const slow = { ms: 2000 };
  const cases: [what: string, changes: Partial<Evidence>, objections: Record<string, unknown>][] = [
    [
      'two builds',
      { version: endpoint(version, { gets: [version, other, version] }) },
      { 'version.stable': expect.stringContaining('more than one build') },
    ],
    [
      'a field that is no text',
      { version: endpoint(answer({ commit: 7 })) },
      { 'version.fields': 'commit is 7; it must be a string' },
    ],
    [
      'a 404 as HTML',
      { version: endpoint(answer('<p>', { status: 404, headers: html })) },
      { 'version.not-found': 'the 404 has content-type "text/html" instead of "application/json"' },
    ],
    [
      'a 404 that is no object',
      { version: endpoint(answer('[]', { status: 404 })) },
      { 'version.not-found': 'the body of the 404 is not a JSON object' },
    ],
    ['a 404 as it should be', { version: endpoint(answer('{}', { status: 404 })) }, {}],
    [
      'a header twice',
      {
        version: endpoint({ ...version, headers: { ...headers, vary: 'accept-encoding, Accept-Encoding' } }),
      },
      { 'version.vary-once': 'vary is "accept-encoding, Accept-Encoding"; it names Accept-Encoding twice' },
    ],
    [
      'a load balancer that fails with the checks',
      {
        heartbeat: endpoint(answer(failing, { status: 500 })),
        lbheartbeat: endpoint(answer('{}', { status: 500 })),
      },
      {
        'lbheartbeat.status': '500 instead of 200',
        'lbheartbeat.independent': 'it returns 500 when the heartbeat does; it must run no checks',
      },
    ],
    [
      'a load balancer that lists checks',
      { lbheartbeat: endpoint(heartbeat) },
      { 'lbheartbeat.independent': 'its body lists checks; it must run none' },
    ],
    [
      'a load balancer that takes as long as the checks',
      {
        heartbeat: endpoint(answer(good.heartbeat, { ms: 200 })),
        lbheartbeat: endpoint(answer(good.lbheartbeat, { ms: 190 })),
      },
      { 'lbheartbeat.independent': 'it takes as long as the checks (190 of 200 ms); it must run none' },
    ],
    [
      'a load balancer that is slow for itself',
      {
        heartbeat: endpoint(answer(good.heartbeat, { ms: 200 })),
        lbheartbeat: endpoint(answer(good.lbheartbeat, { ms: 100 })),
      },
      {},
    ],
    [
      'one slow answer of three',
      { version: endpoint(version, { gets: [version, version, { ...version, ...slow }] }) },
      {},
    ],
    [
      'two slow answers of three',
      { version: endpoint(version, { gets: [{ ...version, ...slow }, version, { ...version, ...slow }] }) },
      { 'version.latency': 'took 2000 ms, more than 1000 ms' },
    ],
    [
      'no answer with gzip',
      { lbheartbeat: endpoint(answer(good.lbheartbeat), { gzip: silent }) },
      {
        'lbheartbeat.status': 'GET with gzip: connect ECONNREFUSED instead of 200',
        'lbheartbeat.encoding': 'GET with gzip: connect ECONNREFUSED',
      },
    ],
    [
      'another body with gzip',
      { version: endpoint(version, { unpacked: { body: other.body } }) },
      {
        'version.encoding': 'the body differs for a client that accepts gzip',
        'version.stable': expect.stringContaining('differ'),
      },
    ],
    [
      'not modified',
      { version: endpoint(version, { conditional: answer('', { status: 304 }) }) },
      { 'version.conditional': 'GET with If-None-Match: 304 instead of 200 or 404' },
    ],
    [
      'a stranger that does not answer',
      { version: endpoint(version, { strangers: new Map([['/x', silent]]) }) },
      {},
    ],
    [
      'a stranger that answers alike',
      { version: endpoint(version, { strangers: new Map([['/x', version]]) }) },
      { 'version.exact': '/x answers like the endpoint; it belongs to the application' },
    ],
    [
      'a stranger of the same status that says something else',
      { version: endpoint(version, { strangers: new Map([['/x', answer('{"a":1}')]]) }) },
      {},
    ],
    [
      'a report below the heartbeat',
      { heartbeat: endpoint(heartbeat, { strangers: new Map([['/x', answer(failing, { status: 500 })]]) }) },
      { 'heartbeat.exact': '/x answers like the endpoint; it belongs to the application' },
    ],
    [
      'a method that is not refused',
      { version: endpoint(version, { refused: new Map([['TRACE', version]]) }) },
      { 'version.methods': 'TRACE: 200 instead of 405' },
    ],
  ];
  test.each(cases)('%s', (_what, changes, wrong) => {
    expect(objections(changes)).toEqual(wrong);
  });
});

test.each<[body: unknown, status: number, verdict: unknown]>([
  [{ status: 'pass' }, 200, undefined],
  [{ status: 'fail', reason: 'starting' }, 503, undefined],
  ['ok', 200, { skipped: 'the body is not a JSON object' }],
  [{ status: 'fail' }, 200, { failed: 'status is "fail" instead of "pass" with 200' }],
  [{ status: 'fail', reason: '' }, 503, { failed: 'reason is "" instead of a text' }],
  [{ status: 'pass', reason: 'x' }, 200, { failed: 'a probe that passes has no reason' }],
  [{ status: 'pass', checks: {} }, 200, { failed: 'the body has "checks", which is not a known field' }],
])('a probe with %j and %i', (body, status, verdict) => {
  const probe = endpoint(answer(body, { status }));
  const rule = probeRules(expected).find(({ name }) => name === 'readyz.body');
  expect(rule?.judge({ livez: probe, readyz: probe, startupz: probe })).toEqual(verdict);
});

test.each<[what: string, encoding: string | undefined, body: Buffer, unpacked: unknown]>([
  ['plain', undefined, Buffer.from('{}'), { body: Buffer.from('{}') }],
  ['plain, and it says so', 'identity', Buffer.from('{}'), { body: Buffer.from('{}') }],
  ['gzip', 'gzip', gzipSync('{}'), { body: Buffer.from('{}') }],
  [
    'gzip in secret',
    undefined,
    gzipSync('{}'),
    { wrong: 'the body is gzip but content-encoding does not say so' },
  ],
  ['a byte like that of gzip', undefined, Buffer.from([0x1f, 0x20]), { body: Buffer.from([0x1f, 0x20]) }],
  ['another packing', 'br', Buffer.from('x'), { wrong: 'content-encoding is "br" where gzip was accepted' }],
  ['no gzip', 'gzip', Buffer.from('{}'), { wrong: 'content-encoding is "gzip" but the body is not' }],
  [
    'a bomb',
    'gzip',
    gzipSync(Buffer.alloc(2 ** 21)),
    { wrong: 'the gzip body has more than 1048576 bytes when unpacked' },
  ],
])('a body that is %s', (_what, encoding, body, unpacked) => {
  expect(unpack(answer('', { headers: { 'content-encoding': encoding }, body }))).toEqual(unpacked);
});

describe('what a line of the log says', () => {
  const now = Date.now() * 1e6;
  const line = (fields: object, record: object = {}) => {
    const whole = { Severity: 6, Timestamp: now, Hostname: 'a', Pid: 1, ...record };
    const found = logRules().flatMap(({ head, line: judge }) => {
      const wrong = judge?.(whole, { code: 200, errno: 0, path: '/', rid: 'a', ...fields }, 'text');
      return wrong === undefined ? [] : [[head.name.slice('logs.'.length), wrong]];
    });
    return Object.fromEntries(found);
  };

  test.each<[fields: object, record: object, wrong: Record<string, unknown>]>([
    [{}, {}, {}],
    [{ code: 'x', errno: 'y', path: 1 }, { Severity: 'z', Timestamp: 'now' }, {}],
    [{ code: 500, errno: 500 }, { Severity: 3 }, {}],
    [{ code: 503, errno: 500 }, { Severity: 3 }, { errno: 'errno is 500 for code 503; it must be 503' }],
    [{ code: 200, errno: 7 }, {}, { errno: 'errno is 7 for code 200; it must be 0' }],
    [{ code: 200, errno: 500 }, { Severity: 3 }, { errno: 'errno is 500 for code 200; it must be 0' }],
    [{ code: 200, errno: 500, cut: true }, { Severity: 3 }, {}],
    [{ code: 499, errno: 500 }, { Severity: 4 }, {}],
    [{ code: 404, errno: 500, msg: 'x' }, { Severity: 4 }, {}],
    [{ code: 500, errno: 500 }, {}, { severity: 'Severity is 6 for code 500; it must be 3 or 4' }],
    [{ code: 500, errno: 500, path: '/app/__heartbeat__' }, {}, {}],
    [{}, { Severity: 3 }, { severity: 'Severity is 3 for code 200; it must be 6' }],
    [{ msg: 'x' }, { Severity: 3 }, {}],
    [{ path: '/a?token=secret' }, {}, { path: 'path is "/a?…"; it must not include the query' }],
    [{ path: 'https://shop.example/a' }, {}, { path: 'path is a full URL; it must be only the path' }],
    [
      {},
      { Timestamp: now / 1e9 },
      {
        timestamp: expect.stringMatching(
          /^Timestamp is [\d.]+; it must be nanoseconds since 1970, not seconds$/,
        ),
      },
    ],
    [{}, { Timestamp: 5 }, { timestamp: 'Timestamp is 5; it must be nanoseconds since 1970' }],
    [{}, { Timestamp: now + 2 * 86_400e9 }, { timestamp: expect.stringContaining('is in the future') }],
  ])('%j in %j', (fields, record, wrong) => {
    expect(line(fields, record)).toEqual(wrong);
  });

  const ruleOf = (name: string) => {
    const found = logRules().find(({ head }) => head.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };

  test('the same line again is found, however many were between, until it is forgotten', () => {
    const again = (between: number) => {
      const rule = ruleOf('logs.once');
      rule.line?.({}, {}, 'a');
      for (let other = 0; other < between; other += 1) rule.line?.({}, {}, String(other));
      return rule.line?.({}, {}, 'a');
    };
    const twice = 'appears twice; there must be one line per request';
    expect([again(0), again(4095), again(4096)]).toEqual([twice, twice, undefined]);
  });

  test('time that goes back is of one process', () => {
    const rule = ruleOf('logs.timestamp');
    const at = (Timestamp: number, Pid: number) => rule.line?.({ Timestamp, Hostname: 'a', Pid }, {}, '');
    expect([at(now, 1), at(now - 0.5e9, 1), at(now - 120e9, 2), at(now - 30e9, 1)]).toEqual([
      undefined,
      undefined,
      undefined,
      'Timestamp goes back by more than a second',
    ]);
  });

  test('one rid and one moment for all lines', () => {
    const [rid, time] = [ruleOf('logs.rid'), ruleOf('logs.timestamp')];
    expect([rid.end?.(), time.end?.()]).toEqual([undefined, undefined]);
    for (let count = 0; count < 5; count += 1) {
      rid.line?.({}, { rid: 'x' }, '');
      time.line?.({ Timestamp: 7 }, {}, '');
    }
    expect([rid.end?.(), time.end?.()]).toEqual([
      'all 5 lines have the rid "x"',
      'all 5 lines have the Timestamp 7',
    ]);
    rid.line?.({}, { rid: 'y' }, '');
    time.line?.({ Timestamp: 8 }, {}, '');
    expect([rid.end?.(), time.end?.()]).toEqual([undefined, undefined]);
  });

  test('a record without fields has none', () => {
    expect([fieldsOf({ Fields: { a: 1 } }), fieldsOf({}), fieldsOf({ Fields: 'x' })]).toEqual([
      { a: 1 },
      {},
      {},
    ]);
  });
});

describe('the requests that were sent', () => {
  const sent: Sent[] = ['a', 'b'].map((rid) => ({ rid, method: 'GET', path: '/', code: 200 }));
  const judged = (lines: readonly object[], of: readonly Sent[] = sent) => {
    const requests = new SentRequests(of);
    for (const [index, line] of lines.entries()) requests.add({ ...line }, index + 1);
    return requests
      .results()
      .map(({ outcome, reason }) => (reason === '' ? outcome : `${outcome}: ${reason}`));
  };

  test.each<[what: string, lines: readonly object[], results: readonly string[]]>([
    ['each has its line', sent, ['passed', 'passed']],
    [
      'one has two',
      [...sent, ...sent.slice(1)],
      ['failed: GET / (rid b) has 2 lines; it must have one', 'passed'],
    ],
    [
      'one has none',
      sent.slice(1),
      [
        'failed: 1 of 2 requests have no line, the first one GET / (rid a)',
        'skipped: there are no log lines for the requests',
      ],
    ],
    [
      'ids of the service',
      sent.map((one) => ({ ...one, rid: 'x' })),
      ['passed', 'advised: 2 requests were sent with an X-Request-Id that is not the rid of their line'],
    ],
    ['lines of others', [{ rid: 1, method: 'GET', path: '/other' }, ...sent], ['passed', 'passed']],
    [
      'a wrong code',
      sent.map((one) => ({ ...one, code: 500 })),
      ['passed', 'advised: line 1: code is 500; it was 200'],
    ],
  ])('%s', (_what, lines, results) => {
    expect(judged(lines)).toEqual(results);
  });

  test('of no requests nothing is said', () => {
    const skipped = 'skipped: the service answered no requests';
    expect(judged(sent, [])).toEqual([skipped, skipped]);
  });
});
