// Two hundred heartbeats at once against a pool of ten: what the service's own queries notice, and where the time goes.
import { Agent, get } from 'node:http';
import { median, start } from '../measure.mjs';
import { table, two } from '../report.ts';
import { judge, shownBudget } from '../verdict.ts';
import { services } from '../../test/services/list.ts';
import { install } from '../../test/services/install.ts';

const contenders = [
  { label: 'a route without checks, no lifesign', subject: 'storm/bare', path: '/' },
  {
    label: 'lifesign, `coalesce: true`',
    subject: 'storm/coalesced/lean',
    path: '/__heartbeat__',
    limited: true,
  },
  { label: 'lifesign', subject: 'storm/plain/lean', path: '/__heartbeat__' },
  { label: '@godaddy/terminus', subject: 'storm/terminus', path: '/__heartbeat__' },
];
const many = 200;
const perSecond = 2;

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const once = (port, path, agent) =>
  new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, (res) => {
      res.on('error', reject).on('end', resolve).resume();
    }).on('error', reject);
  });

/** One request; if its connection breaks it is made again. */
async function ask(port, path, agent) {
  for (let attempt = 1; attempt < 3; attempt += 1) {
    try {
      return await once(port, path, agent);
    } catch {
      // Once more.
    }
  }
  return once(port, path, agent);
}

/** Two hundred requests at once, twice a second. */
async function storm({ port }, path, seconds, agent) {
  for (let wave = 0; wave < seconds * perSecond; wave += 1) {
    const answered = Array.from({ length: many }, () => ask(port, path, agent));
    await Promise.all([...answered, pause(1 / perSecond)]);
  }
}

async function measure({ subject, path }, seconds, env) {
  const server = await start(subject, { env });
  const agent = new Agent({ keepAlive: true, maxSockets: many });
  try {
    // Connections are open and code is warm before anything is measured.
    await storm(server, path, 2, agent);
    await pause(1);
    await server.ask('latency');
    await pause(seconds);
    const quiet = await server.ask('latency');
    await storm(server, path, seconds, agent);
    const stormy = await server.ask('latency');
    const cpu = stormy.cpu.user + stormy.cpu.system - quiet.cpu.user - quiet.cpu.system;
    return {
      quiet: quiet.took,
      took: stormy.took,
      waited: stormy.waited,
      loop: stormy.loop,
      perWave: cpu / 1000 / (seconds * perSecond),
      times: stormy.took / quiet.took,
    };
  } finally {
    agent.destroy();
    await server.stop();
  }
}

export async function stormSection({ rounds, seconds }) {
  await install([services.postgres]);
  const database = process.env.DATABASE_URL ? undefined : await services.postgres.start();
  const env = { DATABASE_URL: process.env.DATABASE_URL ?? database.url };
  const samples = contenders.map(() => []);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, contender] of contenders.entries()) {
        samples[index].push(await measure(contender, seconds, env));
      }
    }
  } finally {
    await database?.stop();
  }
  const rows = contenders.map((contender, index) => {
    const figure = (name) => [name, median(samples[index].map((sample) => sample[name]))];
    const names = ['quiet', 'took', 'waited', 'loop', 'perWave', 'times'];
    return { ...contender, ...Object.fromEntries(names.map(figure)) };
  });
  // The same requests without lifesign and without checks.
  const budget = Number(rows[0].times.toFixed(2));
  return report(rows.map((row) => (row.limited ? { ...row, budget } : row)));
}

function report(rows) {
  const head = [
    '200 at once, twice a second',
    'p99 of own queries: quiet, ms',
    'in the storm, ms',
    'of it for a connection, ms',
    'loop delay p99, ms',
    'CPU ms a wave',
    'against quiet',
    'budget',
  ];
  const body = rows.map(({ label, quiet, took, waited, loop, perWave, times, budget }) => [
    label,
    two(quiet),
    two(took),
    two(waited),
    two(loop),
    two(perWave),
    `**${two(times)}**`,
    budget === undefined ? '' : shownBudget(`≤ ${budget}`, times, budget),
  ]);
  const findings = rows
    .filter(({ budget }) => budget !== undefined)
    .map((row) => ({
      value: row.times,
      budget: row.budget,
      says: `storm: ${row.label} makes the p99 ${two(row.times)} times that of quiet, budget ${row.budget}`,
    }));
  return {
    name: 'storm',
    text: `### storm: pool of 10, a check of 20 ms, \`summary: false, requestContext: false\`\n\n${table(head, body)}`,
    ...judge(findings),
  };
}
