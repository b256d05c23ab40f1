// Every place that takes clients takes all of them.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as checks from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { createHandler } from 'lifesign';
import { Health as Worker } from 'lifesign/worker';

const wrong = { code: 'LIFESIGN_CLIENT' };

describe.each([
  ['db', 'check_database_connected', 'checkDatabaseConnected'],
  ['redis', 'check_redis_connected', 'checkRedisConnected'],
  ['migrations', 'check_migrations_applied', 'checkMigrationsApplied'],
  ['broker', 'check_broker_connected', 'checkBrokerConnected'],
])('%s', (option, name, exportName) => {
  test('is an option of every extension', () => {
    for (const make of [Health, Worker]) {
      expect(() => new make({ [option]: 5 })).toThrow(expect.objectContaining(wrong));
    }
    expect(() => createHandler({ [option]: 5 })).toThrow(expect.objectContaining(wrong));
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
