// A process that has nothing to wait for: node short.mjs BUILT KIND
import { pathToFileURL } from 'node:url';

const [built, kind] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${built}/dist/${file}`).href);
const { Health } = await load('frameworks/node.js');
new Health(kind === 'off' ? {} : { watchdog: { port: 0, busyAfter: 100 } });
if (kind === 'throw') throw new Error('thrown on purpose');
if (kind === 'exit') process.exit(5);
if (kind === 'reject') void Promise.reject(new Error('rejected on purpose'));
if (kind.startsWith('spin')) {
  for (const end = performance.now() + Number(kind.slice(4)); performance.now() < end;);
  process.exit(6);
}
if (kind.startsWith('run'))
  for (const end = performance.now() + Number(kind.slice(3)); performance.now() < end;);
