// The cases of the contract on a process that is told by variables only.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { levels, type LogRecord } from 'lifesign';
import { variableOf } from '../../src/core/options/read-options.js';
import { type Case, get } from '../conformance/case.js';
import type { RunningHost, Setup } from '../conformance/host.js';
import { until } from '../core/waiting.js';
import type { Line, Running } from './start.js';

/** The Health in hand, and paths of the applications of the other hosts that use lifesign themselves. */
const needsCode = /\/rid\b|\/boom\b|\bleave\(|\bhealth\b/;

type Variables = Readonly<Record<string, string>>;

/** The variables that say what a case asks for; undefined where only code can. */
function variablesOf(setup: Setup): Variables | undefined {
  const { options = {}, checks, checkOptions, versionCallback } = setup;
  if (checks !== undefined || checkOptions !== undefined || versionCallback !== undefined) return undefined;
  const entries = Object.entries(options).map(([name, value]) => [variableOf(name), value] as const);
  if (entries.some(([, value]) => typeof value === 'object' || typeof value === 'function')) return undefined;
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

const severities: Readonly<Record<number, LogRecord['level']>> = {
  2: levels.critical,
  3: levels.error,
  4: levels.warning,
  6: levels.info,
  7: levels.debug,
};

function recordOf({ Type, Severity, Fields }: Line): LogRecord {
  const { msg, ...fields } = Fields;
  const level = severities[Severity] ?? levels.debug;
  return { logger: Type, level, time: 0, fields, ...(msg !== undefined && { msg: String(msg) }) };
}

/** A process as the cases want it: with the records from now on. */
async function hostOf(running: Running, summarised: boolean): Promise<RunningHost> {
  const { port, origin } = running;
  const host = (first: number): RunningHost => ({
    port,
    origin,
    get health(): never {
      throw new Error('this case needs code');
    },
    get records() {
      return running.lines().slice(first).map(recordOf);
    },
    close: async () => {},
  });
  if (!summarised) return host(running.lines().length);
  // What the case before this one has caused is there when this is.
  const barrier = `/barrier-${Math.random()}`;
  const told = () => running.lines().findIndex(({ Fields }) => Fields['path'] === barrier);
  await get(host(0), barrier);
  await until(() => told() >= 0);
  return host(told() + 1);
}

/**
 * Runs those of the cases that need no code; cases with the same variables share a process. Tells the names of those that ran, and what
 * was wrong with the others. Without `every` only those that the defaults and a version file are enough for.
 */
export async function runCases(
  cases: readonly Case[],
  begin: (env: Variables) => Promise<Running>,
  every = false,
): Promise<{ readonly ran: readonly string[]; readonly failed: readonly string[] }> {
  const scratch = await mkdtemp(join(tmpdir(), 'lifesign-cases-'));
  // One directory for all: each case starts it anew.
  const directory = join(scratch, 'case');
  const started = new Map<string, Promise<Running>>();
  const ran: string[] = [];
  const failed: string[] = [];
  for (const { name, setup, run } of cases.filter((one) => !needsCode.test(String(one.run)))) {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory);
    const env = variablesOf((await setup?.(directory)) ?? {});
    if (env === undefined) continue;
    if (!every && Object.keys(env).some((variable) => variable !== 'HEALTH_VERSION_PATH')) continue;
    const key = JSON.stringify(env);
    const running = started.get(key) ?? begin(env);
    started.set(key, running);
    try {
      await run(await hostOf(await running, env['HEALTH_SUMMARY'] !== 'false'), directory);
      ran.push(name);
    } catch (thrown) {
      failed.push(`${name}: ${String(thrown)}`);
    }
  }
  await rm(scratch, { recursive: true });
  for (const running of started.values()) (await running).child.kill('SIGKILL');
  return { ran, failed };
}
