import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ParseArgsConfig } from 'node:util';
import {
  type Command,
  describe,
  duration,
  fileUnusable,
  type Io,
  parse,
  scrub,
  usageInvalid,
} from '../../../src/tools.js';
import { baseOf, type Service } from '../http/exchange.js';
import { endpointRules } from './endpoint-rules.js';
import {
  Asker,
  endpoints,
  gather,
  gatherProbes,
  probeRequestCount,
  requestCount,
  type Sent,
} from './evidence.js';
import { askTwice, holdIdle, idleRules, reuseRules } from './idle.js';
import { probeRules } from './probe-rules.js';
import { judgeLogs } from './logs.js';
import { reportRules } from './report-rules.js';
import { count, json, junit, type Run, table } from './reports.js';
import { type Expectations, judgeAll, type Result, resultOf } from './rule.js';
import { reachable, select } from './selection.js';
import { settingsOf } from './settings.js';

const help = `Usage: lifesign-cli verify [URL] [options]

Tests a running service, in any language. Exit code: 0 when every rule of the
specification passes, 1 when one fails, 2 for bad usage. lifesign-cli explain
RULE explains one.

Options
  --strict                   recommendations can fail the run too
  --probes                   also test /livez, /readyz and /startupz
  --idle TIME                also keep a connection idle: who closes it first?
  --logs FILE                test request.summary lines; - is standard input
  --skip RULE                skip a rule; repeatable
  --only RULE                run only this rule; repeatable
  --profile NAME             allow the known differences of python-dockerflow
  --json                     print results as JSON
  --junit FILE               write results as JUnit XML; - is standard output
  --timeout TIME             how long to wait for a response  (default 5s)
  --max-latency TIME         how long a response may take     (default 1s)
  --fail-level LEVEL         the failLevel of the service     (default warning)
  --failed-status-code CODE  its failedStatusCode             (default 500)
  --insecure                 accept any certificate over https
  --help                     show this help
Example: lifesign-cli verify http://localhost:8000 --logs app.log
`;

const options = {
  idle: { type: 'string' },
  logs: { type: 'string' },
  probes: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  skip: { type: 'string', multiple: true, default: [] },
  only: { type: 'string', multiple: true, default: [] },
  profile: { type: 'string' },
  json: { type: 'boolean', default: false },
  junit: { type: 'string' },
  timeout: { type: 'string', default: '5s' },
  'max-latency': { type: 'string', default: '1s' },
  'fail-level': { type: 'string' },
  'failed-status-code': { type: 'string', default: '500' },
  insecure: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options'];

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options,
  });
  const [url, ...more] = positionals;
  const { logs } = values;
  if (more.length > 0) throw usageInvalid('More than one URL was given');
  if (url === undefined && logs === undefined) throw usageInvalid('A URL is missing');
  if (values.json && values.junit === '-')
    throw usageInvalid('--json and --junit - both write to standard output');
  const settings = settingsOf(values);
  const { timeout, expected } = settings;

  const idle = values.idle === undefined ? undefined : duration('--idle', values.idle);
  const results: Result[] = [];
  const base = url === undefined ? undefined : baseOf(url);
  let service: Judged | undefined;
  if (base !== undefined) {
    const asked = { base, timeout, insecure: values.insecure };
    service = await judgeService(asked, expected, values.probes, io);
    results.push(...service.results);
    if (idle !== undefined && service.isThere) results.push(...(await judgeIdle(asked, idle, io)));
  }
  if (logs !== undefined) results.push(...(await judgeLogs(logs, service?.sent, io)));
  // Not as it was given: it may have a password or a token in it.
  const subject = base === undefined ? undefined : scrub(base);
  const all: Run = { url: subject ?? `logs of ${logs}`, results: select(results, settings) };
  await publish(all, values.json, values.junit, io);
  return count(all, 'failed') === 0 ? 0 : 1;
}

interface Judged {
  readonly results: readonly Result[];
  readonly sent: readonly Sent[];
  readonly isThere: boolean;
}

async function judgeService(
  service: Omit<Service, 'until'>,
  expected: Expectations,
  probes: boolean,
  io: Io,
): Promise<Judged> {
  const bar = progress(io, requestCount + 1 + (probes ? probeRequestCount : 0));
  const asker = new Asker(service, randomUUID().slice(0, 8), (what) => bar.step(what));
  const { sent } = asker;
  // A service that is not there would get dozens of requests.
  const first = await asker.ask('GET', '/__lbheartbeat__');
  if (first.failure !== undefined) {
    bar.end();
    return {
      results: [resultOf(reachable, `GET /__lbheartbeat__: ${first.failure}`)],
      sent,
      isThere: false,
    };
  }
  await asker.abort();
  const evidence = await gather(asker);
  const probed = probes ? await gatherProbes(asker) : undefined;
  const reused = await askTwice(service);
  bar.end();
  const rules = [
    ...endpoints.flatMap((endpoint) => endpointRules(endpoint, expected)),
    ...reportRules(expected),
  ];
  const results = judgeAll(rules, evidence).toSorted((a, b) => order(a.name) - order(b.name));
  return {
    results: [
      resultOf(reachable, undefined),
      ...results,
      ...(probed === undefined ? [] : judgeAll(probeRules(expected), probed)),
      ...judgeAll(reuseRules, reused),
    ],
    sent,
    isThere: true,
  };
}

async function judgeIdle(service: Omit<Service, 'until'>, idle: number, io: Io): Promise<readonly Result[]> {
  io.stderr.write(`Keeping a connection idle for ${idle / 1000} s\n`);
  const held = await holdIdle(service, idle);
  if (held.closedAfter === undefined && held.failure === undefined)
    io.stderr.write('The service kept it open: verify closed it first\n');
  return judgeAll(idleRules, held);
}

/** Rules of one endpoint are together. */
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

const second = 1000;

/** A line on a terminal that counts the requests, once they take longer than a second. */
function progress(io: Io, total: number): { step(what: string): void; end(): void } {
  const { stderr } = io;
  const started = performance.now();
  let done = 0;
  let shown = false;
  const clear = () => {
    if (shown) stderr.write('\r\u001B[K');
    shown = false;
  };
  return {
    step(what) {
      done += 1;
      if (stderr.isTTY !== true || performance.now() - started < second) return;
      clear();
      stderr.write(`${done}/${total} ${what}`);
      shown = true;
    },
    end: clear,
  };
}

export const command: Command = { help, run };
