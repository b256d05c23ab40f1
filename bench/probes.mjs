// npm run test:probes [-- lifesign peers terminus … 'Redis' 'leaked' …]: four instances behind HAProxy in trouble, wired in five ways; without
// a name of one in the two ways of lifesign. Writes what it measures into the tables of contributing/probes.md; other rows stay as they are.
// Fails where lifesign twice takes others out of rotation, or restarts others, than the page says; UPDATE_DOCS=1 writes that too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fleet } from '../test/faults/fleet/fleet.ts';
import { install } from '../test/services/install.ts';
import { services } from '../test/services/list.ts';
import { faults, prepare } from './probes-faults.mjs';
import { tableIn, writeTables } from './scale/page.ts';
import { table } from './scale/tables.ts';

const page = join(import.meta.dirname, '../contributing/probes.md');
const subject = (name) => [join(import.meta.dirname, 'probes-subject.mjs'), name];
const probes = { ready: '/readyz', live: '/livez', started: '/startupz', watched: true };
const wirings = {
  lifesign: { name: 'without', table: 'proof', ...probes },
  peers: { name: 'with', table: 'proof', ...probes },
  heartbeat: {
    name: 'readiness on the heartbeat',
    table: 'comparison',
    ready: '/__heartbeat__',
    live: '/__lbheartbeat__',
  },
  terminus: { name: '@godaddy/terminus', table: 'comparison', ready: '/health', live: '/health' },
  nest: { name: '@nestjs/terminus', table: 'comparison', ready: '/health', live: '/health' },
};
const figures = ['out of rotation', 'restarted', 'failed requests', 'well again after'];
const columns = { proof: ['fault', 'peers', ...figures], comparison: ['fault', 'setup', ...figures] };

/** The rows that the page has, by fault and setup. */
function rowsOf(name) {
  const lines = (tableIn(readFileSync(page, 'utf8'), name) ?? '').split('\n').slice(2);
  const cells = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return new Map(cells.map((row) => [row.slice(0, 2).join(), row]));
}

const size = 4;
/** Which instances: `the faulty one` is what a reader wants to see. */
function who(list, faulty = [], most = list.length) {
  if (list.length === 0) return 'none';
  const atOnce = most < list.length ? `, ${most} at a time` : '';
  if (list.join() === faulty.join())
    return (faulty.length === 1 ? 'the faulty one' : 'the faulty ones') + atOnce;
  const healthy = list.filter((index) => !faulty.includes(index)).length;
  const what = list.length === size ? 'all' : String(list.length);
  return `${what}${faulty.length > 0 ? `, ${healthy} of them healthy` : ''}${atOnce}`;
}

/** Who was taken out and who was restarted; how many at a time and how often is chance. */
const verdicts = ([, , out, restarted]) =>
  `out of rotation: ${out.split(',')[0]}, restarted: ${restarted.split(',')[0]}`;

/** Writes a row; or gives what differs from the verdicts of the page. */
function note(title, wiring, outcome) {
  const { fewest, evicted, causes, restarted, restarts, failed, answered, recovery } = outcome;
  const { faulty } = faults[title];
  const times = restarts > restarted.length ? `, ${restarts} times` : '';
  const cells = [
    title,
    wiring.name,
    who(evicted, faulty, size - fewest),
    who(restarted, faulty) + times,
    `${failed} of ${failed + answered}`,
    recovery === undefined ? 'not within 300 s' : `${(recovery / 1000).toFixed(1)} s`,
  ];
  console.log(`| ${cells.join(' | ')} | out: ${causes.join(', ')}`);
  const rows = rowsOf(wiring.table);
  if (wiring.table === 'proof' && process.env.UPDATE_DOCS === undefined) {
    const known = rows.get(cells.slice(0, 2).join());
    if (known === undefined || verdicts(known) !== verdicts(cells))
      return `${verdicts(cells)}; the page has ${known === undefined ? 'no such row' : verdicts(known)}`;
  }
  rows.set(cells.slice(0, 2).join(), cells);
  const known = Object.values(wirings).filter((each) => each.table === wiring.table);
  const ordered = Object.keys(faults).flatMap((each) =>
    known.map(({ name }) => rows.get([each, name].join())).filter((row) => row !== undefined),
  );
  writeTables({ [wiring.table]: table(columns[wiring.table], ordered) }, page);
  return undefined;
}

await install([services.postgres, services.redis, services.haproxy]);
const chosen = process.argv.slice(2);
const named = chosen.filter((name) => Object.hasOwn(wirings, name));
const chosenWirings = named.length > 0 ? named : ['lifesign', 'peers'];
const words = chosen.filter((name) => !Object.hasOwn(wirings, name));
const failures = [];

/** One fault with one wiring; gives what is wrong with it. */
async function run(title, key) {
  const wiring = wirings[key];
  // A loop that is blocked for two seconds is out of rotation.
  const setting = { redis: true, checkTimeout: '2s', peers: key === 'peers', prepare };
  let fleet;
  try {
    fleet = await Fleet.start({ ...wiring, args: subject(key) }, setting);
    return note(title, wiring, await faults[title].play(fleet));
  } catch (error) {
    console.error(error);
    return String(error);
  } finally {
    await fleet?.stop();
    await sleep(500);
  }
}

for (const title of Object.keys(faults)) {
  if (words.length > 0 && !words.some((word) => title.includes(word))) continue;
  for (const key of chosenWirings) {
    let wrong = await run(title, key);
    // An instance that a busy machine gives no CPU time for two seconds is out as well: it will hardly be the same twice.
    if (wrong !== undefined) {
      console.log(`${title}, ${wirings[key].name}: once more, since ${wrong}`);
      wrong = await run(title, key);
    }
    if (wrong !== undefined) failures.push(`${title}, ${wirings[key].name}: ${wrong}`);
  }
}
for (const failure of failures) console.error(`FAILED twice: ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
