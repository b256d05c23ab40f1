// Two hundred heartbeats at once against a pool of ten: what the service's own queries notice of it.
import { Agent, get } from 'node:http';
import { median, start } from './measure.mjs';
import { services } from '../test/services/list.ts';
import { install } from '../test/services/install.ts';

const contenders = [
  { label: 'lifesign with coalesce', subject: 'storm/coalesced', budget: 1.3, limit: 10 },
  { label: 'lifesign, plain', subject: 'storm/plain' },
  { label: '@godaddy/terminus', subject: 'storm/terminus' },
];

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** Two hundred requests at once, twice a second. */
async function storm({ port }, path, seconds) {
  for (let wave = 0; wave < seconds * 2; wave += 1) {
    const answered = Array.from({ length: 200 }, () => {
      return new Promise((resolve, reject) => {
        get({ port, host: '127.0.0.1', path, agent }, (res) => res.resume().on('end', resolve)).on(
          'error',
          reject,
        );
      });
    });
    await Promise.all([...answered, pause(0.5)]);
  }
}

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
        // Connections are opened and code is warm before anything is measured.
        await storm(server, '/__lbheartbeat__', 1);
        await pause(1);
        await server.ask('forget');
        await pause(seconds);
        const quiet = await server.ask('latency');
        // The same requests without a check: what they cost by themselves is no matter of the pool.
        await storm(server, '/__lbheartbeat__', seconds);
        const busy = await server.ask('latency');
        await storm(server, '/__heartbeat__', seconds);
        const stormy = await server.ask('latency');
        server.stop();
        samples[index].push({
          quiet: quiet.p99,
          busy: busy.p99,
          stormy: stormy.p99,
          ratio: stormy.p99 / quiet.p99,
        });
      }
    }
    return contenders.map(({ label, budget, limit }, index) => ({
      label,
      budget,
      limit,
      quiet: median(samples[index].map(({ quiet }) => quiet)),
      busy: median(samples[index].map(({ busy }) => busy)),
      stormy: median(samples[index].map(({ stormy }) => stormy)),
      ratio: median(samples[index].map(({ ratio }) => ratio)),
    }));
  } finally {
    await database?.stop();
  }
}
