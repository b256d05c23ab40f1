import { appendFile } from 'node:fs/promises';
import type { ParseArgsConfig } from 'node:util';
import {
  type Command,
  describe,
  duration,
  fileUnusable,
  type Io,
  parse,
  usageInvalid,
} from '../../../src/tools.js';
import { conditionsOf, type Wanted } from './conditions.js';
import { placesOf } from './places.js';
import { json, markdown, type Outcome, shortTime, stateLine, summary } from './reports.js';
import { watch } from './watch.js';
import { headersOf } from '../http/exchange.js';

const help = `Usage: lifesign-cli wait URL... [options]

Waits until services are up, healthy and on the right build. Exit code: 0 when
they are, 1 on timeout, 2 for bad usage.

Conditions (by default /__lbheartbeat__ must return 200)
  --commit COMMIT   /__version__ has this commit; a prefix is enough
  --version LABEL   /__version__ has this version
  --healthy         /__heartbeat__ returns 200

Options
  --for TIME        how long all conditions must hold without a break
                    (default 10s with --commit or --version, else 0)
  --timeout TIME    how long to wait in total: 90s, 10m, 1h  (default 5m)
  --all-addresses   request every address of each host name
  --header LINE     send a header; repeatable
  --insecure        accept any certificate over https
  --json            print the result as JSON
  --help            show this help

Every response counts: behind a load balancer, one instance on the old build
restarts the time of --for. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used.
Example: lifesign-cli wait https://example.org --commit $GITHUB_SHA --healthy
`;

const maxUrls = 100;

const options = {
  commit: { type: 'string' },
  version: { type: 'string' },
  healthy: { type: 'boolean', default: false },
  for: { type: 'string' },
  timeout: { type: 'string', default: '5m' },
  'all-addresses': { type: 'boolean', default: false },
  header: { type: 'string', multiple: true, default: [] },
  insecure: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} satisfies ParseArgsConfig['options'];

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parse({
    args: [...args],
    allowPositionals: true,
    options,
  });
  if (positionals.length === 0) throw usageInvalid('A URL is missing');
  if (positionals.length > maxUrls) throw usageInvalid(`More than ${maxUrls} URLs were given`);
  const { commit, version, healthy } = values;
  const wanted = { commit, version, healthy };
  requireValue('--version', version);
  requireCommit(commit);
  const byDefault = commit === undefined && version === undefined ? '0' : '10s';
  const holdFor = zeroOr('--for', values.for ?? byDefault);
  const timeout = duration('--timeout', values.timeout);
  if (holdFor >= timeout) {
    throw usageInvalid(
      `--for is ${shortTime(holdFor)}, which does not fit into --timeout ${shortTime(timeout)}`,
    );
  }
  const headers = headersOf(values.header);
  const asked = { headers, insecure: values.insecure, allAddresses: values['all-addresses'] };
  const places = placesOf(positionals, asked, io);

  const started = performance.now();
  // Standard output is for the JSON then.
  const lines = values.json ? io.stderr : io.stdout;
  let shown = '';
  const { done, targets } = await watch({
    conditions: conditionsOf(wanted),
    holdFor,
    timeout,
    places,
    onAnswer(current, now) {
      const line = stateLine(current, now, holdFor);
      // A first answer is not a change.
      if (line === shown || current.some(({ answers }) => answers === 0)) return;
      shown = line;
      lines.write(`${shortTime(now - started).padStart(6)}  ${line}\n`);
    },
  });
  const outcome = {
    done,
    took: performance.now() - started,
    wanted: sentence(wanted),
    holdFor,
    targets,
  };
  io.stdout.write(values.json ? json(outcome) : summary(outcome, io));
  await writeStepSummary(outcome, io);
  return done ? 0 : 1;
}

/** As in the headline. */
function sentence({ commit, version, healthy }: Wanted): string {
  const builds = [commit, version && `version ${version}`].filter(Boolean).join(', ');
  const parts = [builds && `run ${builds}`, healthy && 'healthy'].filter(Boolean);
  return parts.length === 0 ? 'up' : parts.join(', ');
}

function requireValue(option: string, value: string | undefined): void {
  if (value !== undefined && value.trim() === '') {
    throw usageInvalid(`${option} is empty; check that the variable you pass is set`);
  }
}

/** An empty one would be the beginning of every commit. */
function requireCommit(commit: string | undefined): void {
  requireValue('--commit', commit);
  if (commit !== undefined && !/^[\w.-]{4,100}$/.test(commit)) {
    throw usageInvalid(
      `--commit is ${JSON.stringify(commit)}; it must be a commit or at least its first four characters`,
    );
  }
}

function zeroOr(option: string, text: string): number {
  return /^0+(?:ms|s|m|h)?$/.test(text) ? 0 : duration(option, text);
}

/** The file whose content GitHub Actions shows for a step. */
async function writeStepSummary(outcome: Outcome, io: Io): Promise<void> {
  const file = io.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return;
  try {
    await appendFile(file, markdown(outcome));
  } catch (thrown) {
    // The wait has ended, and its outcome is final.
    io.stderr.write(
      `lifesign: ${fileUnusable('GITHUB_STEP_SUMMARY', 'written', describe(thrown)).message}\n`,
    );
  }
}

export const command: Command = { help, run };
