import { join } from 'node:path';
import type { RunningService } from '../services/service.js';
import { Fleet, type Outcome } from '../faults/fleet/fleet.js';
import type { Wiring } from '../faults/fleet/instance.js';
import { Client } from 'pg';
import type { Figures } from './list.js';

/** Where a platform asks each set-up. */
const paths: Readonly<Record<string, Omit<Wiring, 'name' | 'args'>>> = {
  lifesign: {
    ready: '/readyz',
    live: '/livez',
    started: '/startupz',
    watched: true,
    monitor: '/__heartbeat__',
  },
  lightship: { ready: '/ready', live: '/live', watched: true, apart: true, monitor: '/health' },
};
const usual = { ready: '/health', live: '/health', monitor: '/health' };

/** How a shop of test/incidents/apps is started with a set-up, and asked. */
export function wiringOf(setUp: string, more: Partial<Wiring> = {}): Wiring {
  const app = join(import.meta.dirname, 'apps/shop.mjs');
  return { name: setUp, args: [app, setUp], ...(paths[setUp] ?? usual), ...more };
}

export async function asOwner(database: RunningService, ...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Starts so many shops behind HAProxy, plays with them, and stops them. */
export async function withFleet(
  wiring: Wiring,
  size: number,
  play: (fleet: Fleet) => Promise<Outcome>,
  checkTimeout = '2s',
): Promise<Outcome> {
  const prepare = async (database: RunningService) => {
    await asOwner(
      database,
      "CREATE ROLE app LOGIN PASSWORD 'first'",
      'CREATE FUNCTION page() RETURNS int LANGUAGE sql AS $$ SELECT 1 FROM pg_sleep(0.02) $$',
    );
    return 'app:first';
  };
  const fleet = await Fleet.start(wiring, { prepare, size, checkTimeout });
  try {
    return await play(fleet);
  } finally {
    await fleet.stop();
  }
}

/** What the load of an incident is, if nothing else matters: slow enough for two cores. */
export const calm = { clients: 6, rest: 60 } as const;

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** The figures of an outcome; `limit` is how long it could take to recover. */
export function figuresOf(outcome: Outcome, limit: number, said = causeIn(outcome.said)): Figures {
  const { noticed, failed, answered, restarts, recovery } = outcome;
  const recovered =
    recovery === undefined ? `no, not within ${limit / 1000} s` : `after ${seconds(recovery)}`;
  const when = noticed === undefined ? 'never' : seconds(noticed);
  return { noticed: when, lost: failed, sent: failed + answered, restarts, recovered, said };
}

/** The first message of a heartbeat, or what the others answered, as code of Markdown. */
export function causeIn(text: string): string {
  const [, message] = /"messages":\{("[^"]+":"(?:[^"\\]|\\.)*")/.exec(text) ?? [];
  const cause = message === undefined ? text : message.replace(/^"([^"]+)":"(.*)"$/, '$1: $2');
  const line = cause.replaceAll(/\s+/g, ' ').replaceAll('|', '/').replaceAll('`', "'");
  return `\`${line.length > 110 ? `${line.slice(0, 110)}…` : line}\``;
}
