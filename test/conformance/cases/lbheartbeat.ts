import { strict as assert } from 'node:assert';
import { checks } from 'lifesign';
import { ask, assertJson, type Case, get } from '../case.js';

export const lbheartbeat: readonly Case[] = [
  {
    name: 'lbheartbeat: 200 {"status":"ok"} with the headers of the contract',
    async run(host) {
      assertJson(await get(host, '/__lbheartbeat__'), 200, '{"status":"ok"}');
    },
  },
  (() => {
    let runs = 0;
    return {
      name: 'lbheartbeat: runs no checks and answers 200 while they fail',
      setup: () => ({
        checks: {
          broken() {
            runs += 1;
            return [new checks.Critical('broken', { id: 'a.C1' })];
          },
        },
      }),
      async run(host) {
        runs = 0;
        assertJson(await get(host, '/__lbheartbeat__'), 200, '{"status":"ok"}');
        await ask(host, 'HEAD', '/__lbheartbeat__');
        assert.equal(runs, 0);
        assert.equal((await get(host, '/__heartbeat__')).status, 500);
        assert.equal(runs, 1);
      },
    } satisfies Case;
  })(),
];
