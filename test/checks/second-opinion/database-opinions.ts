import { describe, expect, it } from 'vitest';
import { checkDatabaseConnected, Error as ErrorMessage } from 'lifesign/checks';
import type { RunningService } from '../../services/service.js';
import { type Exercised, type OpenClient, poolSize, type Target } from '../clients/client.js';
import { planted } from '../database-scenario.js';
import { type Proxy, startProxy } from '../proxy.js';
import { opinionsOf } from './opinions.js';

export interface Stage {
  readonly server: () => RunningService;
  readonly sleep: string;
  /** Connections of the planted user, as the server counts them. */
  readonly count: () => Promise<number>;
  readonly setPassword: (password: string) => Promise<void>;
}

interface Scene {
  readonly open: OpenClient;
  readonly proxy: Proxy;
}

/** Whose trouble it is, for one client on a real server behind a proxy that is the client's own. */
export function exerciseOpinions(exercised: Exercised, stage: Stage, canConnect: boolean): void {
  async function scene(use: (scene: Scene) => Promise<void>): Promise<void> {
    const proxy = await startProxy(stage.server().port);
    const target: Target = { host: '127.0.0.1', port: proxy.port, ...planted };
    const open = await exercised.open(target);
    try {
      await use({ open, proxy });
    } finally {
      await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
      await proxy.close();
    }
  }
  const refusal = new ErrorMessage(
    'Cannot connect to the database: the server accepts no more connections (53300)',
    { id: 'health.E001', fault: 'full' },
  );
  const broken = [new ErrorMessage('unusable', { id: 'health.E002', fault: 'broken' })];
  const impossible = { scope: 'shared', evidence: 'this client cannot open a fresh connection' };

  describe(exercised.name, () => {
    it('a fresh connection works, and is closed', () =>
      scene(async ({ open, proxy }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        expect(opinions.scope).toBe('auto');
        await open.query(stage.sleep);
        if (!canConnect) {
          expect(await opinions.ask()).toEqual(impossible);
          return;
        }
        await opinions.ask();
        await expect.poll(proxy.open).toBeGreaterThan(0);
        const before = proxy.open();
        const counted = await stage.count();
        const said = await Promise.all(Array.from({ length: 3 }, () => opinions.opinion(broken)));
        expect(new Set(said.map(({ evidence }) => evidence))).toEqual(new Set(['a fresh connection works']));
        expect(said[0]?.scope).toBe('instance');
        await expect.poll(proxy.open).toBe(before);
        await expect.poll(stage.count).toBeLessThanOrEqual(counted);
      }));

    if (!canConnect) return;

    it('connections that are dead and open: this instance', () =>
      scene(async ({ open, proxy }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await open.query(stage.sleep);
        await opinions.ask();
        proxy.set('halfOpen');
        expect(await opinions.opinion(broken)).toEqual({
          scope: 'instance',
          evidence: 'a fresh connection works',
        });
      }));

    it('a server that accepts and says nothing: shared, and nothing is left open', () =>
      scene(async ({ open, proxy }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await open.query(stage.sleep);
        await opinions.ask();
        const before = proxy.open();
        proxy.set('swallow');
        expect(await opinions.opinion()).toEqual({
          scope: 'shared',
          evidence: 'a fresh connection gets no answer either',
          unreached: true,
        });
        await expect.poll(proxy.open).toBe(before);
      }));

    it('a server that is frozen: shared, and nothing is left open', () =>
      scene(async ({ open, proxy }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await open.query(stage.sleep);
        await opinions.ask();
        const before = proxy.open();
        stage.server().freeze();
        try {
          expect(await opinions.opinion()).toEqual({
            scope: 'shared',
            evidence: 'a fresh connection gets no answer either',
            unreached: true,
          });
          await expect.poll(proxy.open).toBe(before);
        } finally {
          stage.server().thaw();
        }
      }));

    it('a password that was changed under a running pool: shared', () =>
      scene(async ({ open }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await open.query(stage.sleep);
        await opinions.ask();
        await stage.setPassword('another-S3cret');
        try {
          const { scope, evidence } = await opinions.opinion();
          expect(evidence).toMatch(/^a fresh connection fails too: the server rejected the user or password/);
          expect(scope).toBe('shared');
        } finally {
          await stage.setPassword(planted.password);
        }
      }));

    it('a server that is killed: shared', () =>
      scene(async ({ open }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await open.query(stage.sleep);
        await opinions.ask();
        await stage.server().kill();
        try {
          const { scope, evidence } = await opinions.opinion();
          expect(evidence).toMatch(/^a fresh connection fails too/);
          expect(scope).toBe('shared');
        } finally {
          await stage.server().restart();
          await expect.poll(() => stage.count().catch(() => -1)).toBeGreaterThanOrEqual(0);
        }
      }));

    // Only of a pool that shows whether it is lent.
    const lending = exercised.reconnects === false ? [] : [''];
    it.each(lending)('a pool whose connections all run queries: busy, which the server says', () =>
      scene(async ({ open }) => {
        const opinions = opinionsOf(checkDatabaseConnected(open.client));
        await opinions.ask();
        const lent = Promise.all(
          Array.from({ length: poolSize }, () => open.query(stage.sleep.replace(/0\.\d+/, '4'))),
        );
        lent.catch(() => {});
        // Connections that are being made are not lent yet.
        await expect.poll(stage.count).toBe(poolSize);
        if (open.slots !== undefined) await expect.poll(open.slots).toBe(poolSize);
        const { scope, evidence } = await opinions.opinion();
        expect(evidence).toMatch(
          new RegExp(
            `^${poolSize}( of ${poolSize})? connections in use.*; ${poolSize} of ${poolSize} are running queries$`,
          ),
        );
        expect(scope).toBe('shared');
        await lent;
      }),
    );

    it('a server that takes no more connections is asked for none', () =>
      scene(async ({ open, proxy }) => {
        const check = checkDatabaseConnected(open.client);
        const opinions = opinionsOf(check);
        await opinions.ask();
        proxy.set('swallow');
        const before = proxy.open();
        const asked = opinions.opinion([refusal]);
        expect(proxy.open()).toBe(before);
        expect(await asked).toEqual({ scope: 'shared', evidence: 'the server accepts no more connections' });
        expect(proxy.open()).toBe(before);
      }));
  });
}
