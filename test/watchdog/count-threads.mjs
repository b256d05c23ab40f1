// Loaded before an application: says at its end how many threads it started.
import { writeSync } from 'node:fs';
import workerThreads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';

const { Worker } = workerThreads;
let started = 0;
workerThreads.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    started += 1;
  }
};
syncBuiltinESMExports();
process.on('exit', () => writeSync(2, `THREADS ${started}\n`));
