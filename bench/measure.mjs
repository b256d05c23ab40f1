// Servers on one core, the load on another, rounds interleaved: how anything is measured here.
import { spawn, spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { prepareLoad } from './load.mjs';

const serverScript = join(import.meta.dirname, 'server.mjs');

const has = (command) => spawnSync('which', [command]).status === 0;
const pinned = has('taskset') && availableParallelism() > 1;
/** The command, held to one core where that is possible. */
const onCore = (core, command) => (pinned ? ['taskset', '-c', String(core), ...command] : command);

/** Keeps this process, and all it starts, off the servers' core: for loads that it makes itself. */
export function leaveServerCore() {
  if (pinned) spawnSync('taskset', ['-cp', '1', String(process.pid)]);
}

export function requireWrk() {
  if (has('wrk')) return;
  if (process.getuid?.() === 0 && has('apt-get')) {
    spawnSync('apt-get', ['update'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'wrk'], { stdio: 'ignore' });
  }
  if (!has('wrk'))
    throw new Error('The bench needs wrk. Debian: apt-get install wrk. macOS: brew install wrk.');
}

/** Starts the server of a subject (`node/lifesign`), its log going nowhere. */
export async function start(subject, env = {}) {
  const nowhere = openSync('/dev/null', 'w');
  const [program, ...args] = onCore(0, [process.execPath, serverScript, subject]);
  const child = spawn(program, args, {
    stdio: ['ignore', nowhere, 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  const waiting = [];
  child.on('message', (message) => waiting.shift()?.resolve(message));
  child.on('exit', (code) => {
    for (const { reject } of waiting) reject(new Error(`${subject} ended with ${code}`));
  });
  const ask = (message) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      if (message !== undefined) child.send(message);
    });
  const { port } = await ask();
  return { subject, port, ask, stop: () => child.kill('SIGKILL') };
}

/** Load on the other core: requests and microseconds. */
async function wrk(server, path, { seconds }, connections) {
  const url = `http://127.0.0.1:${server.port}${path}`;
  const count = join(import.meta.dirname, 'count.lua');
  const command = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', count, url];
  const [program, ...args] = onCore(1, command);
  const output = await run(program, args);
  const [, requests, microseconds, errors] = (/COUNT (\d+) (\d+) (\d+)/.exec(output) ?? []).map(Number);
  if (!(requests > 0)) throw new Error(`${server.subject} ${path} answered nothing:\n${output}`);
  if (errors > 0) throw new Error(`${server.subject} ${path}: ${errors} answers were not 200`);
  return { requests, microseconds };
}

/** One burst of load, for some seconds or for less than one. Requests per second and CPU microseconds of the server per request. */
async function burst(server, path, time, connections = 32) {
  const load =
    time.seconds === undefined
      ? await prepareLoad(server.port, path, time, connections)
      : () => wrk(server, path, time, connections);
  const before = await server.ask('cpu');
  const { requests, microseconds } = await load();
  const after = await server.ask('cpu');
  return {
    rps: requests / (microseconds / 1e6),
    cpu: (after.user + after.system - before.user - before.system) / requests,
  };
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('exit', () => resolve(output));
  });
}

export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Measures contenders side by side: A, B, C, A, B, C… so that a noisy minute hits all of them, and with servers
 * started anew several times, because one process is a few per cent faster than the next.
 * The first is the yardstick: ratios are taken within each round, and their median is what counts.
 */
export async function compare(contenders, { launches, rounds, amount, warmUp }) {
  const samples = contenders.map(() => []);
  for (let launch = 0; launch < launches; launch += 1) {
    const servers = new Map();
    try {
      for (const { subject } of contenders) {
        if (!servers.has(subject)) servers.set(subject, await start(subject));
      }
      // In several bursts, for new connections make Node optimise its code anew; the yardstick last, because a load
      // that is not warm itself must not make it look slow.
      for (const time of warmUp) {
        for (const { subject, path } of contenders.toReversed()) {
          await burst(servers.get(subject), path, time);
        }
      }
      for (let round = 0; round < rounds; round += 1) {
        for (const [index, { subject, path }] of contenders.entries()) {
          samples[index].push(await burst(servers.get(subject), path, amount));
        }
      }
    } finally {
      for (const server of servers.values()) server.stop();
    }
  }
  const [yardstick] = samples;
  return contenders.map((contender, index) => {
    const own = samples[index];
    const throughput = own.map(({ rps }, round) => rps / yardstick[round].rps);
    const effort = own.map(({ cpu }, round) => yardstick[round].cpu / cpu);
    return {
      ...contender,
      cpu: median(own.map(({ cpu }) => cpu)),
      rps: median(own.map(({ rps }) => rps)),
      /** More is better: requests per second of the server core against the yardstick. */
      ratio: median(throughput),
      /** The same in CPU time, which a busy neighbour disturbs less. */
      cpuRatio: median(effort),
      spread: [Math.min(...effort), Math.max(...effort)],
    };
  });
}
