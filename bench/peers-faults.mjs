// node --import tsx bench/peers-faults.mjs [lifesign terminus …]: lifesign and four peers in the same faults, on a real PostgreSQL. Prints a table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoad } from '../test/faults/load.ts';
import { install } from '../test/services/install.ts';
import { services } from '../test/services/list.ts';

const peers = {
  lifesign: 'lifesign',
  terminus: '@godaddy/terminus',
  nest: '@nestjs/terminus',
  underPressure: '@fastify/under-pressure',
  lightship: 'lightship',
};
const patience = 10_000;

async function start(peer, check, database) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'faults-subject.mjs'), peer, check], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...process.env, DATABASE_URL: database.url, NODE_ENV: 'production' },
  });
  const exited = once(child, 'exit');
  const [told] = await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error(`${peer} did not start`))),
  ]);
  const origin = `http://127.0.0.1:${told.port}`;
  const healthUrl = `http://127.0.0.1:${told.healthPort ?? told.port}${told.health}`;
  return {
    child,
    exited,
    origin,
    /** Status, time and text of the health endpoint; status 0 when it gave none in time. */
    async health(limit = patience) {
      const started = performance.now();
      try {
        const answer = await fetch(healthUrl, { signal: AbortSignal.timeout(limit) });
        return {
          status: answer.status,
          body: await answer.text(),
          ms: Math.round(performance.now() - started),
        };
      } catch {
        return { status: 0, body: '', ms: Math.round(performance.now() - started) };
      }
    },
    pool: async () => (await fetch(`${origin}/pool`)).json(),
    kill: () => child.kill('SIGKILL'),
  };
}

const said = ({ status, ms }) =>
  status === 0 ? `no answer in ${patience / 1000} s` : `${status} in ${ms} ms`;

async function recovery(app) {
  const started = performance.now();
  while (performance.now() - started < 20_000) {
    if ((await app.health(2000)).status === 200)
      return `200 again after ${Math.round(performance.now() - started)} ms`;
    await sleep(50);
  }
  return 'not well 20 s later';
}

async function databaseFaults(peer, database) {
  const app = await start(peer, 'database', database);
  const row = {};
  row['quiet'] = said(await app.health());
  database.freeze();
  row['database frozen'] = said(await app.health());
  // Two hundred probes whose senders give up after a second, as probes do.
  await Promise.all(Array.from({ length: 200 }, () => app.health(1000)));
  const { waiting, total } = await app.pool();
  row['200 probes on the frozen database'] = `${waiting} queries wait, ${total} of 10 connections taken`;
  database.thaw();
  row['thawed'] = await recovery(app);
  await database.kill();
  await app.health();
  row['database killed'] = said(await app.health());
  await database.restart();
  row['restarted'] = await recovery(app);
  app.kill();
  return row;
}

async function secrets(peer, database) {
  const app = await start(peer, 'secret', database);
  const { status, body } = await app.health();
  app.kill();
  return {
    'check throws a connection string': `${status}, password ${body.includes('hunter2') ? 'IN THE BODY' : 'not in the body'}`,
  };
}

/** What clients saw of a SIGTERM under load, and how the process ended. */
async function shutdown(peer, database) {
  const other = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const app = await start(peer, 'database', database);
  const load = startLoad([app.origin, `http://127.0.0.1:${other.address().port}`], 20, '/?wait=5');
  await sleep(500);
  app.child.kill('SIGTERM');
  await sleep(500);
  const { status } = await app.health(2000);
  const ended = await Promise.race([app.exited, sleep(20_000, undefined, { ref: false })]);
  // A refused connection is no loss: the client knows that nothing was done, and goes elsewhere.
  const turnedAway = load.failures.filter((failure) => failure.startsWith('status')).length;
  const refused = load.failures.filter((failure) => failure.includes('ECONNREFUSED')).length;
  const lost = load.failures.length - turnedAway - refused;
  await load.stop();
  app.kill();
  other.close();
  const how =
    ended === undefined
      ? 'still there 20 s later'
      : ended[0] === null
        ? `ended by ${ended[1]}`
        : `exit code ${ended[0]}`;
  return {
    'SIGTERM under keep-alive load': `${lost} requests lost, ${turnedAway} answered 503, health ${status || 'silent'} meanwhile, ${how}`,
  };
}

async function secondSignal(peer, database) {
  const app = await start(peer, 'database', database);
  const pending = fetch(`${app.origin}/?wait=8000`).catch(() => {});
  await sleep(300);
  app.child.kill('SIGTERM');
  await sleep(300);
  const started = performance.now();
  app.child.kill('SIGTERM');
  const [code, signal] = await app.exited;
  await pending;
  return {
    'second SIGTERM with a request of 8 s under way': `ended ${Math.round(performance.now() - started)} ms later (${code ?? signal})`,
  };
}

await install([services.postgres]);
const database = await services.postgres.start();
try {
  const rows = {};
  const wanted = process.argv.slice(2);
  for (const peer of Object.keys(peers).filter((name) => wanted.length === 0 || wanted.includes(name))) {
    for (const fault of [databaseFaults, secrets, shutdown, secondSignal]) {
      const observed = await fault(peer, database).catch((error) => ({
        [fault.name]: `could not be run: ${error.message}`,
      }));
      for (const [what, outcome] of Object.entries(observed)) (rows[what] ??= {})[peer] = outcome;
    }
  }
  console.log(`| fault | ${Object.values(peers).join(' | ')} |`);
  console.log(`|---|${'---|'.repeat(Object.keys(peers).length)}`);
  for (const [what, outcomes] of Object.entries(rows)) {
    console.log(
      `| ${what} | ${Object.keys(peers)
        .map((peer) => outcomes[peer] ?? '')
        .join(' | ')} |`,
    );
  }
} finally {
  await database.stop();
}
