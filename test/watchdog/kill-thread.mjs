// Loaded before app.mjs: hands out the threads that are started, so that they can be killed by SIGUSR2.
import workerThreads from 'node:worker_threads';
import { syncBuiltinESMExports } from 'node:module';

const { Worker } = workerThreads;
let latest;
workerThreads.Worker = class extends Worker {
  constructor(...args) {
    super(...args);
    latest = this;
  }
};
syncBuiltinESMExports();
process.on('SIGUSR2', () => void latest?.terminate());
