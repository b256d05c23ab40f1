// An application with a Health in its main thread and one in a thread of its own, which is blocked until FILE is there: node threads.mjs BUILT FILE
import { existsSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';

const [built, file] = isMainThread ? process.argv.slice(2) : workerData;
const load = (name) => import(pathToFileURL(`${built}/dist/${name}`).href);
const { Health } = await load('frameworks/node.js');
const loggerName = isMainThread ? 'main' : 'worker';
new Health({ loggerName, watchdog: { port: 0, busyAfter: 300 } });

/** In rounds: on a busy machine the watchdog may start when the first has begun, and see only the next one. */
function waitInWorker() {
  const end = performance.now() + 3000;
  while (!existsSync(file) && performance.now() < end);
  if (!existsSync(file)) setTimeout(waitInWorker, 500);
}

if (isMainThread) new Worker(new URL(import.meta.url), { workerData: [built, file] });
else setTimeout(waitInWorker, 200);
setInterval(function idleInMain() {}, 1);
