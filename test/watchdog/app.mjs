// A server with a watchdog, from the built package: node app.mjs BUILT SETUP. It tells its port on standard error.
import { once } from 'node:events';
import { existsSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import inspector from 'node:inspector';
import { subscribe } from 'node:diagnostics_channel';
import { pathToFileURL } from 'node:url';
import { blocks } from './blocks.mjs';

const [built, json] = process.argv.slice(2);
const setup = JSON.parse(json);
const load = (file) => import(pathToFileURL(`${built}/dist/${file}`).href);
const { Health, checks } = await load('frameworks/node.js');
const { drainOnSignals } = await load('http/drain/drain.js');
const { signals } = await load('signals.js');

/** Blocks until a file is there. */
export function spinUntil(path) {
  while (!existsSync(path));
}

/** What a route returns whose response stays open. */
const open = Symbol('open');
const prepared = setup.block === undefined ? undefined : blocks[setup.block](setup.ms);
const seen = [];
const own = [];
let broken = false;
let runs = 0;
const actions = {
  '/until': ({ searchParams }) => spinUntil(searchParams.get('file')),
  '/prepared': () => prepared(),
  '/seen': () => JSON.stringify(seen),
  '/own': () => JSON.stringify(own),
  '/open-inspector': () => inspector.open(0),
  '/session': () => {
    const session = new inspector.Session();
    session.connect();
    session.post('Debugger.enable');
  },
  '/close': () => health.close(),
  '/break': () => void (broken = true),
  '/mend': () => void (broken = false),
  '/runs': () => String(runs),
  '/hang': () => open,
  '/throw': () =>
    setImmediate(() => {
      throw new Error('no connection to postgres://shop:hunter2@db/shop');
    }),
  '/reject': () => void Promise.reject(new TypeError('rejected with password=hunter2')),
  '/until-then-exit'({ searchParams }) {
    spinUntil(searchParams.get('file'));
    process.exit(7);
  },
  '/until-then-throw'({ searchParams }) {
    spinUntil(searchParams.get('file'));
    throw new Error('thrown on purpose');
  },
  '/resources': () => JSON.stringify({ ...process.memoryUsage(), list: process.getActiveResourcesInfo() }),
  '/short': ({ searchParams }) => blocks.loop(Number(searchParams.get('ms')))(),
  '/flood'({ searchParams }) {
    // A line that is longer than a pipe, and then a block.
    process.stdout.write(`${JSON.stringify({ long: 'x'.repeat(300_000) })}\n`);
    writeSync(2, 'FLOODED\n');
    spinUntil(searchParams.get('file'));
  },
  '/flood-log'({ searchParams }) {
    const { logger } = health.options;
    logger.log({ logger: 'app', level: 20, time: Date.now(), fields: { long: 'y'.repeat(300_000) } });
    setTimeout(() => {
      writeSync(2, 'FLOODED\n');
      spinUntil(searchParams.get('file'));
    }, 50);
  },
};

const server = createServer((req, res) => {
  const url = new URL(req.url, 'http://host');
  const answer = actions[url.pathname]?.(url);
  if (answer !== open) res.end(typeof answer === 'string' ? answer : 'done');
});
const options = setup.own === true ? { logger: { log: (record) => own.push(record) } } : {};
const health = new Health(server, {
  page: true,
  ...options,
  watchdog: setup.watchdog,
  ...(setup.probes !== undefined && { probes: setup.probes }),
});
if (setup.probes !== undefined) {
  health.check('breakable', () => {
    runs += 1;
    return broken ? [new checks.Error('broken', { id: 'a.E1' })] : [];
  });
}
// Above its threshold in any case: a late moment among many more is not, as on a busy machine.
health.check('event_loop', checks.eventLoop({ utilization: { warn: 0.001, error: 1 }, window: 1000 }));
const summary = ({ health: its, ...event }) => ({ ...event, same: its === health });
for (const name of ['loopBlocked', 'loopFreed']) {
  health.on(name, (event) => seen.push([`health ${name}`, summary(event)]));
  signals.on(name, (event) => seen.push([`signals ${name}`, summary(event)]));
  subscribe(`lifesign.${name}`, (event) => seen.push([`channel ${name}`, summary(event)]));
}
if (setup.handler === 'exit') process.on('uncaughtException', () => process.exit(3));
if (setup.handler === 'ignore') process.on('uncaughtException', () => {});
if (setup.firstTurn !== undefined) spinUntil(setup.firstTurn);
if (setup.drain !== undefined) drainOnSignals(health, { server, ...setup.drain });
server.listen(0, '127.0.0.1');
await once(server, 'listening');
writeSync(2, `PORT ${server.address().port}\n`);
