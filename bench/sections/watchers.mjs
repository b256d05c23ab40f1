// Open health pages: what 1 to 100 watchers cost a service whose page changes every second.
import { get } from 'node:http';
import { calibrate, median, start } from '../measure.mjs';
import { table, two } from '../report.ts';
import { slopeOf } from './slope.ts';

const counts = [0, 1, 10, 50, 100];
const name = 'scale: watchers';
const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** Opens the events as a browser does. Counts the bytes that come. */
function watch(port, seen) {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream', 'accept-encoding': 'gzip' };
    const request = get(
      { port, host: '127.0.0.1', path: '/__health__/events', headers, agent: false },
      (res) => {
        if (res.statusCode !== 200) return reject(new Error(`the events answered ${res.statusCode}`));
        res.on('data', (chunk) => (seen.bytes += chunk.length)).on('error', () => {});
        resolve(request);
      },
    ).on('error', reject);
  });
}

/** CPU microseconds, bytes and memory of one update with so many watchers. */
async function measure(many, seconds) {
  const server = await start('page/lifesign/lean/10', { flags: ['--expose-gc'] });
  const seen = { bytes: 0 };
  const requests = [];
  try {
    for (let index = 0; index < many; index += 1) requests.push(await watch(server.port, seen));
    // The first event is the whole page.
    await pause(3);
    seen.bytes = 0;
    const before = await server.ask('cpu');
    await pause(seconds);
    const after = await server.ask('cpu');
    const { rss } = await server.ask('memory');
    if (many > 0 && seen.bytes === 0) throw new Error('the watchers saw nothing');
    return {
      cost: (after.user + after.system - before.user - before.system) / seconds,
      bytes: many === 0 ? 0 : seen.bytes / seconds / many,
      rss,
    };
  } finally {
    for (const request of requests) request.on('error', () => {}).destroy();
    await server.stop();
  }
}

export async function watchersSection({ seconds, rounds }) {
  const calibration = await calibrate();
  const samples = counts.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, many] of counts.entries()) samples[index].push(await measure(many, seconds));
  }
  const figures = samples.map((list, index) => ({
    many: counts[index],
    cost: median(list.map(({ cost }) => cost)),
    bytes: median(list.map(({ bytes }) => bytes)),
    rss: median(list.map(({ rss }) => rss)) / 2 ** 20,
  }));
  const slope = slopeOf(name, 'a watcher and update', figures, calibration, 400);
  const body = figures.map(({ many, cost, bytes, rss }) => [
    many,
    two(cost / 1000),
    Math.round(bytes),
    rss.toFixed(0),
  ]);
  return {
    ...slope,
    name,
    text: `### health page with 1 to 100 watchers, 10 checks, a change every second\n\n${table(['watchers', 'CPU ms a second', 'bytes a watcher and second', 'MB of memory'], body)}\n\n${slope.text}`,
  };
}
