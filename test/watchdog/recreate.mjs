// Starts and closes watchdogs on one port, over and over: node recreate.mjs BUILT PORT TIMES. The last one stays.
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [built, port, times] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${built}/dist/${file}`).href);
const { Health } = await load('frameworks/node.js');
const watchdog = { port: Number(port), busyAfter: 300 };

const held = () => ({
  rss: process.memoryUsage.rss(),
  listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
});
// The first line brings the listeners of the log.
new Health().options.logger.log({ logger: 'test', level: 20, time: Date.now(), fields: {}, msg: 'started' });
let early;
for (let time = 0; time < Number(times); time += 1) {
  const health = new Health({ watchdog });
  health.close();
  health.close();
  if (time % 3 === 2) await turn();
  if (time === Math.floor(Number(times) / 4)) early = held();
}
new Health({ watchdog });
// A second one beside it is refused, and says so.
new Health({ watchdog });
writeSync(2, `HELD ${JSON.stringify([early, held()])}\n`);
setInterval(() => {}, 1000);
