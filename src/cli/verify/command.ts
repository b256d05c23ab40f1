import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { levels } from '../../core/heartbeat/messages.js';
import { integer, levelName } from '../../core/options/rules.js';
import { describe, scrub } from '../../core/scrub/scrub.js';
import { duration, parse } from '../arguments.js';
import { fileUnusable, usageInvalid } from '../errors.js';
import { baseOf } from '../http/base.js';
import { type Io, progress } from '../io.js';
import type { Command } from '../command.js';
import { endpointRules, type Expectations } from './endpoint-rules.js';
import { endpoints, gather, gatherProbes, probeRequestCount, requestCount } from './evidence.js';
import { probeRules } from './probe-rules.js';
import { ask, type Service } from '../http/exchange.js';
import { judgeLogs } from './logs.js';
import { reportRules } from './report-rules.js';
import { count, json, junit, type Run, table } from './reports.js';
import { judgeAll, type Result, resultOf } from './rule.js';

const help = `Usage: lifesign verify [URL] [options]

Tests a running service, in any language, against the contract. Exit code: 0
when every rule holds, 1 when one fails, 2 for misuse.

Options
  --probes                   test /livez, /readyz and /startupz too
  --logs FILE                validate request.summary lines; - is standard input
  --json                     results as JSON on standard output
  --junit FILE               results as JUnit XML; - is standard output
  --timeout TIME             how long to wait for an answer   (default 5s)
  --max-latency TIME         how long an answer may take      (default 1s)
  --fail-level LEVEL         the failLevel of the service     (default warning)
  --failed-status-code CODE  its failedStatusCode             (default 500)
  --insecure                 accept any certificate over https
  --help                     this page

Examples
  lifesign verify http://localhost:8000
  lifesign verify https://example.org --json
  lifesign verify --logs - < app.log
`;

/** As many slow answers are waited for in all: a minute by default. */
const timeouts = 12;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse('verify', {
    args: [...args],
    allowPositionals: true,
    options: {
      logs: { type: 'string' },
      json: { type: 'boolean', default: false },
      junit: { type: 'string' },
      timeout: { type: 'string', default: '5s' },
      'max-latency': { type: 'string', default: '1s' },
      'fail-level': { type: 'string', default: 'warning' },
      'failed-status-code': { type: 'string', default: '500' },
      insecure: { type: 'boolean', default: false },
      probes: { type: 'boolean', default: false },
    },
  });
  const [url, ...more] = positionals;
  if (more.length > 0) throw usageInvalid('More than one URL was given', 'verify');
  if (url === undefined && values.logs === undefined) throw usageInvalid('A URL is missing', 'verify');
  if (values.json && values.junit === '-')
    throw usageInvalid('--json and --junit - both want standard output', 'verify');
  const expected: Expectations = {
    failedStatusCode: statusCode(values['failed-status-code']),
    failLevel: failLevel(values['fail-level']),
    maxLatency: duration('--max-latency', values['max-latency'], 'verify'),
  };
  const timeout = duration('--timeout', values.timeout, 'verify');

  const results: Result[] = [];
  const base = url === undefined ? undefined : baseOf(url);
  if (base !== undefined) {
    const until = performance.now() + timeouts * timeout;
    const service = { base, timeout, insecure: values.insecure, until };
    results.push(...(await judgeService(service, expected, values.probes, io)));
  }
  if (values.logs !== undefined) results.push(...(await judgeLogs(values.logs, io)));
  // Not as it was given: it may have a password or a token in it.
  const all: Run = { url: base === undefined ? `logs of ${values.logs}` : scrub(base), results };
  await publish(all, values.json, values.junit, io);
  return count(all, 'failed') === 0 ? 0 : 1;
}

async function judgeService(
  service: Service,
  expected: Expectations,
  withProbes: boolean,
  io: Io,
): Promise<readonly Result[]> {
  const bar = progress(io, requestCount + 1 + (withProbes ? probeRequestCount : 0));
  bar.step('GET /__lbheartbeat__');
  // A service that is not there would be asked dozens of times.
  const first = await ask(service, 'GET', '/__lbheartbeat__');
  const reachable = ['reachable', 'SPEC 4'] as const;
  if (first.failure !== undefined) {
    bar.end();
    return [resultOf(...reachable, { failed: `GET /__lbheartbeat__: ${first.failure}` })];
  }
  const evidence = await gather(service, (what) => bar.step(what));
  const probed = withProbes ? await gatherProbes(service, (what) => bar.step(what)) : undefined;
  bar.end();
  const rules = [
    ...endpoints.flatMap((endpoint) => endpointRules(endpoint, expected)),
    ...reportRules(expected),
  ];
  return [
    resultOf(...reachable, undefined),
    ...judgeAll(rules, evidence).toSorted((a, b) => order(a.name) - order(b.name)),
    ...(probed === undefined ? [] : judgeAll(probeRules(expected), probed)),
  ];
}

/** Rules of one endpoint stand together. */
function order(name: string): number {
  return endpoints.findIndex((endpoint) => name.startsWith(`${endpoint}.`));
}

async function publish(all: Run, asJson: boolean, junitFile: string | undefined, io: Io): Promise<void> {
  if (junitFile === '-') {
    io.stdout.write(junit(all));
    return;
  }
  io.stdout.write(asJson ? json(all) : table(all, io));
  if (junitFile === undefined) return;
  try {
    await writeFile(resolve(io.cwd, junitFile), junit(all));
  } catch (thrown) {
    throw fileUnusable(junitFile, 'written', describe(thrown));
  }
}

function statusCode(text: string): number {
  const rule = integer(400, 599);
  const code = rule.fromText?.(text);
  if (rule.accepts(code)) return code;
  throw usageInvalid(`--failed-status-code is ${JSON.stringify(text)}; it must be ${rule.expects}`, 'verify');
}

function failLevel(text: string): number {
  if (levelName.accepts(text)) return levels[text];
  throw usageInvalid(`--fail-level is ${JSON.stringify(text)}; it must be ${levelName.expects}`, 'verify');
}

export const command: Command = { help, run };
