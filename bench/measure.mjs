// Servers on one core, the load on another, rounds interleaved: how everything over HTTP is measured.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openLoad } from './load.mjs';

const cores = availableParallelism();
export const pinned = cores > 1 && spawnSync('which', ['taskset']).status === 0;
const onCore = (core) => (pinned ? `taskset -c ${core}` : '');

const hold = (list) => pinned && spawnSync('taskset', ['-acp', list, String(process.pid)]);

/** Keeps this process, which makes the load, off the servers' core while it does something. */
async function onLoadCore(task) {
  hold('1');
  try {
    return await task();
  } finally {
    hold(`0-${cores - 1}`);
  }
}

/**
 * Starts the server of a subject (`node/lifesign/default`) on its core. Its log goes to a pipe with a reader on the other
 * core, as in a container, or to /dev/null. `home` has the servers and the lifesign that they find.
 */
export async function start(
  subject,
  {
    home = import.meta.dirname,
    log = 'pipe',
    reader = 'cat',
    env = {},
    node = process.execPath,
    flags = [],
  } = {},
) {
  const server = `${onCore(0)} "$0" "$@"`;
  const shell =
    log === 'pipe'
      ? `${server} | ${onCore(1)} ${reader} > /dev/null 3>&- & wait`
      : `exec ${server} > /dev/null`;
  const child = spawn('sh', ['-c', shell, node, ...flags, join(home, 'server.mjs'), subject], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
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
      if (message !== undefined) child.send(message, (error) => error && reject(error));
    });
  const { port, pid } = await ask();
  return {
    port,
    ask,
    stop: () =>
      new Promise((resolve) => {
        child.removeAllListeners('exit').once('exit', resolve);
        if (!child.connected) return resolve();
        // At once: no logger may wait for its reader, and no inspector for its debugger.
        process.kill(pid, 'SIGKILL');
      }),
  };
}

/** One turn of a load: requests per second, and CPU microseconds of the server per request. */
async function burst(server, load, many) {
  const before = await server.ask('cpu');
  const { requests, microseconds } = await load.run(many);
  const after = await server.ask('cpu');
  return {
    rps: requests / (microseconds / 1e6),
    cpu: (after.user + after.system - before.user - before.system) / requests,
  };
}

export const median = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const inTurn = (turns, round) => (round % 2 === 0 ? turns : turns.toReversed());

/** Rows with the same server share its process. */
export const serverOf = ({ subject, home, log = 'pipe' }) => `${subject} ${home} ${log}`;
const keyOf = (row) => `${serverOf(row)} ${row.path}`;

/**
 * Measures rows side by side: A, B, C, C, B, A… so that a noisy moment hits all of them, with servers that are
 * started several times, because one process is a few per cent faster than the next. A turn has as many requests as take the
 * server `milliseconds` of CPU time, `warmUp` is the requests before; `together` starts all servers before any is warm. Gives the samples by row.
 */
async function sample(rows, { launches, rounds, milliseconds, warmUp, together = false, node }) {
  const unique = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
  const samples = new Map(unique.map((row) => [keyOf(row), []]));
  for (let launch = 0; launch < launches; launch += 1) {
    const servers = new Map();
    const turns = [];
    try {
      for (const row of unique) {
        const name = serverOf(row);
        if (!servers.has(name)) servers.set(name, await start(row.subject, { ...row, node }));
        const server = servers.get(name);
        const turn = { key: keyOf(row), server, load: await openLoad(server.port, row.path) };
        // At once: V8 collects garbage in a server that waits for 8 seconds, and `process.nextTick` of one that has not been busy
        // before then takes 9 µs more for the rest of its life.
        if (!together) await burst(turn.server, turn.load, warmUp / 2);
        turns.push(turn);
      }
      // Again, because each turn makes Node optimise something else; by turns, because V8 throws away the code of a server that
      // waits for a minute.
      for (let part = together ? -2 : 0; part < 2; part += 1) {
        for (const turn of inTurn(turns, part)) turn.warm = await burst(turn.server, turn.load, warmUp / 4);
      }
      for (let round = 0; round < rounds; round += 1) {
        for (const { key, server, load, warm } of inTurn(turns, round)) {
          samples.get(key).push(await burst(server, load, (milliseconds * 1000) / warm.cpu));
        }
      }
    } finally {
      for (const { load } of turns) load.close();
      await Promise.all([...servers.values()].map((server) => server.stop()));
    }
  }
  return samples;
}

/** Measures works, each row against the first of its work, in the same rounds: the rounds of every row. */
export async function compare(works, effort) {
  const samples = await onLoadCore(() =>
    sample(
      works.flatMap(({ rows }) => rows),
      effort,
    ),
  );
  return works.map(({ rows }) => {
    const yardstick = samples.get(keyOf(rows[0]));
    return rows.map((row) =>
      samples.get(keyOf(row)).map(({ cpu, rps }, round) => ({
        cpu,
        rps,
        above: cpu - yardstick[round].cpu,
        share: cpu / yardstick[round].cpu - 1,
        throughput: rps / yardstick[round].rps,
      })),
    );
  });
}

/** The median of each figure, and the middle half of the shares. */
export function summarise(row, rounds) {
  const figure = (name) => median(rounds.map((round) => round[name]));
  const shares = rounds.map(({ share }) => share).toSorted((a, b) => a - b);
  const quarter = Math.floor(shares.length / 4);
  return {
    ...row,
    cpu: figure('cpu'),
    rps: figure('rps'),
    above: figure('above'),
    share: figure('share'),
    throughput: figure('throughput'),
    spread: [shares[quarter], shares[shares.length - 1 - quarter]],
  };
}

let calibration;
/** CPU microseconds of an empty node:http response on this machine: what budgets in microseconds are relative to. */
export async function calibrate() {
  const empty = { subject: 'node/empty', path: '/' };
  const effort = { launches: 2, rounds: 8, milliseconds: 40, warmUp: 12_000 };
  calibration ??= compare([{ rows: [empty] }], effort).then(([[rounds]]) => summarise(empty, rounds).cpu);
  return calibration;
}
