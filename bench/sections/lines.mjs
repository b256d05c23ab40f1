// Logs at 1,000 to 50,000 lines a second to a reader that takes 2 MB a second, about 7,000 lines.
import { join } from 'node:path';
import { calibrate, start } from '../measure.mjs';
import { table, two, whole } from '../report.ts';
import { slopeOf } from './slope.ts';

const rates = [1000, 5000, 20_000, 50_000];
const bytesPerSecond = 2_000_000;
const name = 'scale: log lines';
const loggers = { lifesign: 'lifesign', pino: 'pino', pinoSync: 'pino, `sync: true`' };
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function measure(logger, rate, seconds) {
  const server = await start(`lines/${logger}`, {
    env: { LINES: String(rate) },
    reader: `${process.execPath} ${join(import.meta.dirname, '../slow-reader.mjs')} ${bytesPerSecond}`,
  });
  try {
    const { rss } = await server.ask('memory');
    const before = await server.ask('begin');
    await pause(seconds);
    const { lines, cpu, p99, max, rss: after } = await server.ask('end');
    return {
      lines: lines / seconds,
      cost: (cpu.user + cpu.system - before.user - before.system) / seconds,
      p99,
      max,
      megabytes: (after - rss) / 2 ** 20,
    };
  } finally {
    await server.stop();
  }
}

export async function linesSection({ seconds }) {
  const calibration = await calibrate();
  const body = [];
  const points = [];
  for (const [logger, label] of Object.entries(loggers)) {
    for (const rate of rates) {
      const { lines, cost, p99, max, megabytes } = await measure(logger, rate, seconds);
      if (logger === 'lifesign') points.push({ many: rate, cost });
      body.push([label, whole(rate), whole(lines), two(cost / lines), two(p99), whole(max), two(megabytes)]);
    }
  }
  const slope = slopeOf(name, 'a line', points, calibration, 5);
  const head = [
    '',
    'lines/s wanted',
    'handed over',
    'CPU µs a line',
    'loop delay p99, ms',
    'longest, ms',
    'MB more memory',
  ];
  return {
    ...slope,
    name,
    text: `### log of 1,000 to 50,000 lines a second, a reader of 2 MB a second\n\n${table(head, body)}\n\n${slope.text} A reader of 2 MB takes about 7,000 lines. Of the rest, lifesign keeps 8 MB in memory, drops what does not fit and logs how many lines that were. pino keeps all of it in memory, or with \`sync: true\` blocks the event loop until the reader has taken it.`,
  };
}
