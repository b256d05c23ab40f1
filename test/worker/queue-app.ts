// A consumer whose queue is the process that started it: a number is a job, what is done is sent back.
import { setTimeout as pause } from 'node:timers/promises';
import { drainOnSignals, Health } from 'lifesign/worker';

const health = new Health({ port: 0 });
const { port } = await health.listening();

const take = (id: number) => {
  const work = async () => {
    // Every seventh takes longer than it may.
    await pause(id % 7 === 6 ? 600_000 : id % 40);
    process.send?.({ done: id });
  };
  health.job('number', id, work).catch(() => {});
};
process.on('message', take);
drainOnSignals(health, { stop: () => void process.off('message', take), timeout: 300 });
process.send?.({ port });
