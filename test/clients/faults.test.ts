import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { takeOutput } from '../checks/heartbeats.js';
import { canStart } from '../services/index.js';
import { bring, faults, right, said } from './faults.js';
import { setUps } from './set-ups.js';
import { type Opened, planted, type Stage } from './stage.js';
import { type Line, publish } from './table.js';

const beats = 50;
const chosen = process.env['SET_UPS'];
const run = setUps.filter(({ name }) => chosen === undefined || new RegExp(chosen).test(name));

describe.skipIf(!canStart('postgres') || !canStart('pgbouncer') || !canStart('redis'))('set-ups', () => {
  const lines: Line[] = [];
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  });
  afterAll(() => {
    publish(
      lines,
      setUps.map(({ name }) => name),
    );
  });

  it.each(run)('$name tells every fault rightly, and costs one statement', async (set) => {
    takeOutput();
    const stage: Stage = await set.stage();
    ends.push(() => stage.stop());
    const open = async (): Promise<Opened> => {
      const opened = await set.open(stage);
      let isClosed = false;
      const close = async () => {
        if (isClosed) return;
        isClosed = true;
        await Promise.race([opened.close(), new Promise((resolve) => setTimeout(resolve, 2000))]);
      };
      ends.push(close);
      return { ...opened, close };
    };
    const opened = await open();
    expect(await said(opened, [])).toBe('ok');

    const before = await stage.count();
    for (let beat = 0; beat < beats; beat += 1) expect(await opened.ids()).toEqual([]);
    const after = await stage.count();

    const found = new Map<string, string>();
    for (const fault of faults.slice(1)) {
      found.set(fault, await bring(fault, set, stage, opened));
      // Each fault ends, and the client works again by itself.
      if (fault !== 'dies') expect([fault, await said(opened, [])]).toEqual([fault, 'ok']);
    }
    await opened.close();
    await stage.kill();
    const late = await open();
    found.set('down at start', await said(late, right[set.kind]['down at start']));
    await stage.restart();
    const recovered = await said(late, []);

    const cells = faults.map((fault) => found.get(fault) ?? '');
    for (const fault of faults) {
      const expected = right[set.kind][fault].map((id) => id.replace('health.', ''));
      const seen = (found.get(fault) ?? '').split(', ').filter((id) => id !== '' && id !== 'ok');
      expect([fault, seen.filter((id) => !expected.includes(id))]).toEqual([fault, []]);
      if (expected.length > 0) expect([fault, seen.length]).not.toEqual([fault, 0]);
    }
    expect(recovered).toBe('ok');
    expect(after).toEqual({ connections: before.connections, statements: before.statements + beats });
    const output = takeOutput();
    for (const secret of [planted.password, 'an0ther-S3cret']) expect(output).not.toContain(secret);
    lines.push({
      name: set.name,
      version: set.version,
      said: cells,
      connections: after.connections - before.connections,
      statements: (after.statements - before.statements) / beats,
    });
  });
});
