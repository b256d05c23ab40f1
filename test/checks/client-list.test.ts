// The list of clients is in clients.ts: every place that takes clients takes all of them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientChecks } from '../../src/checks/clients.js';
import * as checks from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { createHandler } from 'lifesign';
import { SettingsHealth } from '../../src/profiles/settings/settings.js';
import { Health as Worker } from 'lifesign/worker';

const wrong = { code: 'LIFESIGN_CLIENT' };

describe.each(clientChecks)('$option', ({ option, name, exportName }) => {
  test('is an option of every extension', () => {
    for (const make of [Health, Worker]) {
      expect(() => new make({ [option]: 5 })).toThrow(expect.objectContaining(wrong));
    }
    expect(() => createHandler({ [option]: 5 })).toThrow(expect.objectContaining(wrong));
  });

  test('is a setting', async () => {
    const health = new SettingsHealth({ BASE_DIR: process.cwd(), logger: false, [option]: 5 });
    const clients = () => ({ [option]: 5 as never });
    const loaded = health.load({ clients, adopt: () => undefined });
    await expect(loaded).rejects.toMatchObject(wrong);
    await expect(loaded).rejects.toThrow(`Option ${option} is 5`);
    const listed = [`lifesign/checks.${exportName}`];
    const without = new SettingsHealth({ BASE_DIR: process.cwd(), logger: false, HEALTH_CHECKS: listed });
    await without.load({ clients: () => ({}), adopt: () => undefined });
    expect(JSON.stringify(await without.heartbeat())).toMatch(new RegExp(`\\bset ${option}\\b`));
  });

  test('has a check by its name, and is documented', () => {
    expect(Reflect.get(checks, exportName)).toBeTypeOf('function');
    const documents = {
      'docs/options.md': `\`${option}\``,
      'docs/auto.md': `\`${option}\``,
      'docs/checks.md': name,
      'docs/nestjs.md': `\`${option}\``,
      'docs/adonisjs.md': `\`${option}\``,
    };
    for (const [file, text] of Object.entries(documents)) {
      expect(readFileSync(file, 'utf8'), file).toContain(text);
    }
  });
});
