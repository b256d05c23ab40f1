import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { sharedService } from '../../test/services/index.js';
import { serving } from './serving.js';

const root = resolve(import.meta.dirname, '../..');
const command = [process.execPath, join(inject('builtCli'), 'dist/bin.js'), 'serve'];

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'lifesign-serve-'));
  mkdirSync(join(cwd, 'node_modules'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function checksOf(library: string, env: Record<string, string>) {
  symlinkSync(join(root, 'node_modules', library), join(cwd, 'node_modules', library));
  const service = await serving(command, { cwd, env });
  const report: { checks: unknown } = await (await fetch(`${service.origin}/__heartbeat__`)).json();
  return { checks: report.checks, code: await service.stop(), output: service.output() };
}

describe('DATABASE_URL on a real server', () => {
  const cases = [
    ['pg', 'postgres'],
    ['postgres', 'postgres'],
    ['mysql2', 'mariadb'],
    ['mariadb', 'mariadb'],
  ] as const;
  for (const [library, server] of cases) {
    const url = sharedService(server)?.replace(/^mariadb:/, 'mysql:');
    test.skipIf(url === undefined)(`${library} on ${server}`, async () => {
      const { checks, code, output } = await checksOf(library, { DATABASE_URL: String(url) });
      expect(checks).toEqual({ check_database_connected: 'ok' });
      expect(output).toContain(`DATABASE_URL: ${library}`);
      expect(code).toBe(0);
    });
  }
});

describe('REDIS_URL on a real server', () => {
  const url = sharedService('redis');
  test.skipIf(url === undefined).each(['ioredis', 'iovalkey', 'redis'])('%s', async (library) => {
    const { checks, code, output } = await checksOf(library, { REDIS_URL: String(url) });
    expect(checks).toEqual({ check_redis_connected: 'ok' });
    expect(output).toContain(`REDIS_URL: ${library}`);
    expect(code).toBe(0);
  });
});
