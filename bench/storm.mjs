// Two hundred heartbeats at once against a pool of ten: what the service's own queries notice of it.
import { load, median, start } from './measure.mjs';
import { services } from '../test/services/list.ts';
import { install } from '../test/services/install.ts';

const contenders = [
  { label: 'lifesign with coalesce', subject: 'storm/coalesced', budget: 1.3 },
  { label: 'lifesign, plain', subject: 'storm/plain' },
  { label: '@godaddy/terminus', subject: 'storm/terminus' },
];

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

/** p99 of the service's own queries in the storm, as a multiple of quiet. Less is better. */
export async function compareStorm({ rounds, seconds }) {
  await install([services.postgres]);
  const database = process.env.DATABASE_URL ? undefined : await services.postgres.start();
  const env = { DATABASE_URL: process.env.DATABASE_URL ?? database.url };
  try {
    const samples = contenders.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, { subject }] of contenders.entries()) {
        const server = await start(subject, env);
        await pause(1);
        await server.ask('forget');
        await pause(seconds);
        const quiet = await server.ask('latency');
        await load(server, '/__heartbeat__', { seconds }, 200);
        const storm = await server.ask('latency');
        server.stop();
        samples[index].push({ quiet: quiet.p99, storm: storm.p99, ratio: storm.p99 / quiet.p99 });
      }
    }
    return contenders.map(({ label, budget }, index) => ({
      label,
      budget,
      quiet: median(samples[index].map(({ quiet }) => quiet)),
      storm: median(samples[index].map(({ storm }) => storm)),
      ratio: median(samples[index].map(({ ratio }) => ratio)),
    }));
  } finally {
    await database?.stop();
  }
}
