// A service that logs so many lines a second: a batch every 10 ms. LINES is how many.
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const perSecond = Number(process.env.LINES);
const fields = {
  errno: 0,
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  method: 'GET',
  path: '/orders/2223',
  code: 200,
  rid: '951b0133-d43e-4098-9713-1017eaf823e1',
  t: 8,
};

function logging(write) {
  const server = createServer((_req, res) => res.end());
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let [lines, due, last] = [0, 0, 0];
  const timer = () =>
    setInterval(() => {
      const now = performance.now();
      due += ((now - last) / 1000) * perSecond;
      last = now;
      for (; due >= 1; due -= 1) {
        write(fields);
        lines += 1;
      }
    }, 10);
  let running;
  server.answers = {
    begin() {
      delay.enable();
      delay.reset();
      last = performance.now();
      running = timer();
      return process.cpuUsage();
    },
    end() {
      clearInterval(running);
      delay.disable();
      return {
        lines,
        cpu: process.cpuUsage(),
        p99: delay.percentile(99) / 1e6,
        max: delay.max / 1e6,
        rss: process.memoryUsage.rss(),
      };
    },
  };
  return server;
}

export const lifesign = async () => {
  const { stdoutLogger } = await import('lifesign/logging');
  const logger = stdoutLogger({ loggerName: 'bench' });
  return logging((fields) => logger.log({ logger: 'request.summary', level: 20, time: Date.now(), fields }));
};
export const pino = async () => {
  const { pino: create } = await import('pino');
  const logger = create();
  return logging((fields) => logger.info(fields));
};
export const pinoSync = async () => {
  const { pino: create } = await import('pino');
  const logger = create(create.destination({ sync: true }));
  return logging((fields) => logger.info(fields));
};
