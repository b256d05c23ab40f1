// Loaded before app.mjs: its threads take memory without end while the file HOG is there, and its timers run out sooner.
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

const hog = `
  const hoard = [];
  setInterval(() => {
    if (require('node:fs').existsSync(${JSON.stringify(process.env.HOG)})) for (;;) hoard.push(new Array(1e4).fill({}));
  }, 10);`;

const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(source, options) {
    super(`import(${JSON.stringify(String(source))});${hog}`, { ...options, eval: true });
  }
};
syncBuiltinESMExports();

// A thread is started again after 1, 5 and 25 seconds.
const { setTimeout } = globalThis;
globalThis.setTimeout = (run, ms, ...args) => setTimeout(run, ms >= 1000 ? ms / 20 : ms, ...args);
