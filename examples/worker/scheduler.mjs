// A scheduler without HTTP: npm run build && node examples/worker/scheduler.mjs
// It runs a task every EVERY milliseconds (2000) and is healthy while no run is overdue.
//   curl localhost:8000/__heartbeat__
//   kill -USR2 PID    makes the task hang: the heartbeat fails
//   kill PID          finishes the current run, then exits with 0
import { checks, drainOnSignals, Health } from 'lifesign/worker';

const every = Number(process.env.EVERY ?? 2000);
const health = new Health({ probes: true });

let runs = 0;
let lastRun;
let hangs = false;

async function cleanUp({ signal }) {
  await new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('not done: the process ends')));
    if (!hangs) setTimeout(resolve, every / 4);
  });
  lastRun = new Date();
}

health.check('clean-up', checks.schedule({ every, grace: every, lastRun: () => lastRun }));

let running = false;
const timer = setInterval(async () => {
  if (running) return;
  running = true;
  runs += 1;
  // A failed run is logged, and the next one starts on schedule.
  await health.job('clean-up', runs, cleanUp).catch(() => {});
  running = false;
}, every);

process.on('SIGUSR2', () => (hangs = true));
drainOnSignals(health, { stop: () => clearInterval(timer) });
// Without this, a port that is in use would only show up in the log.
await health.listening();
