import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProbesOptions } from 'lifesign';
import { probeBody } from '../../probes/schema.js';
import { applications, type Make } from '../applications.js';
import { collect, until } from '../serving.js';

const { Hono: _, ...frameworks } = applications;

describe.each<[string, Make]>(Object.entries(frameworks))(
  'the probes on the health port of %s',
  (_name, make) => {
    async function made(probes: ProbesOptions) {
      const { logger, records } = collect();
      const app = await make({ healthPort: 0, probes, logger });
      const told = () =>
        records.map(({ msg }) => /health endpoints on 0\.0\.0\.0:(\d+)$/.exec(msg ?? '')?.[1]).find(Boolean);
      await until(() => told() !== undefined);
      const ask = async (path: string) => {
        const answer = await fetch(`http://127.0.0.1:${told()}${path}`);
        return probeBody(answer.status, await answer.text());
      };
      return { app, ask };
    }
    const pass = { status: 'pass' };
    const notYet = { status: 'fail', reason: 'the application has not started' };
    const socket = () => {
      const directory = mkdtempSync(join(tmpdir(), 'lifesign-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      return join(directory, 'app.sock');
    };

    it.each([
      ['a port', () => 0],
      ['a socket of the file system', socket],
    ])('pass once the application listens on %s, and not before', async (_where, where) => {
      const { app, ask } = await made({});
      for (let time = 0; time < 2; time += 1) {
        expect(await ask('/startupz')).toEqual(notYet);
        expect(await ask('/readyz')).toEqual(notYet);
        expect(await ask('/livez')).toEqual(pass);
      }
      await app.listen(where());
      for (const path of ['/startupz', '/readyz', '/livez']) expect(await ask(path)).toEqual(pass);
    });

    it("wait for health.started() with startWhen: 'called', though it listens", async () => {
      const { app, ask } = await made({ startWhen: 'called' });
      await app.listen(0);
      expect(await ask('/startupz')).toEqual(notYet);
      expect(await ask('/readyz')).toEqual(notYet);
      expect(await ask('/livez')).toEqual(pass);
    });
  },
);
