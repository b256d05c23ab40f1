import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { type Exercised, type OpenClient, poolSize, type Target, versionOf } from './clients/client.js';
import { heartbeats, takeOutput } from './heartbeats.js';
import type { Row } from './matrix.js';

/** What may never be read in a body or a log line. */
export const planted = {
  user: 'planted_user',
  password: 'pl4nted-S3cret',
  database: 'planted_base',
} as const;

const secrets = [planted.user, planted.password, 'wr0ng-S3cret', 'postgres://', 'mysql://'];

/** How many timeouts a hung run is kept, as docs/checks.md has it: longer while others are lost. */
const backoffAfter = (lost: number) => Math.min(3 * 2 ** lost, 96);

/** How many hung runs are given up within so many timeouts; each holds its slot if the client cannot take it back. */
function givenUpWithin(timeouts: number): number {
  let lost = 0;
  // Each run takes one timeout before it hangs.
  for (let at = 1 + backoffAfter(0); at <= timeouts; at += 1 + backoffAfter(lost)) lost += 1;
  return lost;
}

export interface Stage {
  /** The server, once it runs and has the planted user and database. */
  readonly server: () => RunningService;
  readonly sleep: string;
}

/** Every way a database fails and comes back, for one client on a real server. */
export function exerciseDatabase(exercised: Exercised, stage: Stage, seen: Row[]): void {
  const target = (): Target => ({ host: '127.0.0.1', port: stage.server().port, ...planted });

  async function withClient(where: Target, use: (open: OpenClient) => Promise<void>): Promise<void> {
    const open = await exercised.open(where);
    try {
      await use(open);
    } finally {
      await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 2000))]);
    }
  }

  describe(`${exercised.name} ${versionOf(exercised.package)}`, () => {
    let passed = 0;
    const scenario = (name: string, run: () => Promise<void>) =>
      it(name, async () => {
        takeOutput();
        await run();
        const output = takeOutput();
        for (const secret of secrets) expect(output).not.toContain(secret);
        passed += 1;
      });

    beforeAll(() => stage.server().thaw());
    afterAll(() => {
      if (passed === scenarios) seen.push({ client: exercised.name, version: versionOf(exercised.package) });
    });
    const scenarios = 6;

    scenario('is ok on a server that is up, over and over', () =>
      withClient(target(), async ({ client, query, slots }) => {
        await query('SELECT 1');
        const { ids } = heartbeats({ db: client, timeout: 10_000 });
        for (let beat = 0; beat < 30; beat += 1) expect(await ids()).toEqual([]);
        expect(await Promise.all(Array.from({ length: 100 }, ids))).toEqual(
          Array.from({ length: 100 }, () => []),
        );
        if (slots !== undefined) expect(slots()).toBe(0);
      }),
    );

    scenario('is misconfigured with a wrong password', () =>
      withClient({ ...target(), password: 'wr0ng-S3cret' }, ({ client }) =>
        heartbeats({ db: client, timeout: 10_000 }).until(
          exercised.reconnects === false ? [...lostIds, 'health.E003'] : ['health.E003'],
        ),
      ),
    );

    scenario('is misconfigured with a wrong database', () =>
      withClient({ ...target(), database: 'no_such_base' }, ({ client }) =>
        heartbeats({ db: client, timeout: 10_000 }).until(
          exercised.reconnects === false ? [...lostIds, 'health.E003'] : ['health.E003'],
        ),
      ),
    );

    scenario('cannot connect where nothing listens', async () => {
      const port = await freePort();
      await withClient({ ...target(), port }, ({ client }) =>
        heartbeats({ db: client, timeout: 10_000 }).until(exercised.refused ?? ['health.E001']),
      );
    });

    scenario(
      `takes one slot at most of ${poolSize} for 1,000 heartbeats on a frozen server, and recovers`,
      () =>
        withClient(target(), async ({ client, query, slots }) => {
          // Every connection of the pool is open when the server stops answering.
          await Promise.all(Array.from({ length: poolSize }, () => query(stage.sleep)));
          const timeout = 100;
          const { ids, until } = heartbeats({ db: client, timeout });
          await until([]);
          stage.server().freeze();
          const frozenAt = performance.now();
          try {
            // No connection where the pool tries an idle one first, which mariadb does after half a second.
            expect([['health.E012'], ['health.E001']]).toContainEqual(await ids());
            // Given back while the server is still frozen, where the client has a way to.
            if (slots !== undefined) {
              await expect.poll(slots, { timeout: 10_000 }).toBe(exercised.holds === true ? 1 : 0);
            }
            const found = new Set<string>();
            for (let wave = 0; wave < 20; wave += 1) {
              const beats = await Promise.all(Array.from({ length: 50 }, ids));
              for (const id of beats.flat()) found.add(id);
              const timeouts = (performance.now() - frozenAt) / timeout;
              const most = exercised.holds === true ? 1 + givenUpWithin(timeouts) : 1;
              if (slots !== undefined) {
                expect(slots(), `in wave ${wave}, after ${timeouts} timeouts`).toBeLessThanOrEqual(most);
              }
            }
            // Timed out, still running, told by the run that timed out, or no new connection.
            if (exercised.tellsLimit === false) found.delete('health.E022');
            expect([...found].filter((id) => !frozenIds.has(id))).toEqual([]);
          } finally {
            stage.server().thaw();
          }
          await until([]);
          if (slots !== undefined) await expect.poll(slots, { timeout: 10_000 }).toBe(0);
          await Promise.all(Array.from({ length: poolSize }, () => query(stage.sleep)));
        }),
    );

    scenario('fails when the server is killed during a run, and recovers when it is back', () =>
      withClient(target(), async (open) => {
        await open.query('SELECT 1');
        const { ids, until } = heartbeats({ db: open.client, timeout: 10_000 });
        await until([]);
        stage.server().freeze();
        const during = ids();
        await new Promise((resolve) => setTimeout(resolve, 50));
        await stage.server().kill();
        try {
          expect(lostIds).toEqual(expect.arrayContaining([...(await during)]));
          expect(await during).toHaveLength(1);
          await until(exercised.reconnects === false ? lostIds : ['health.E001']);
        } finally {
          await stage.server().restart();
        }
        if (exercised.reconnects === false) {
          await withClient(target(), ({ client }) => heartbeats({ db: client, timeout: 10_000 }).until([]));
        } else await until([]);
      }),
    );
  });
}

const frozenIds = new Set(['health.E012', 'health.E013', 'health.E002', 'health.E001']);

/** A connection that is gone: refused, broken, or closed by its own client. */
const lostIds = ['health.E001', 'health.E002'];
