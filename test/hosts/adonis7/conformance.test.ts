import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import { Server } from '@adonisjs/core/http';
import { describe, expect, test } from 'vitest';
import { carriedCases, recordedCases } from '../../conformance/cases/index.js';
import { adonisHosts } from '../../conformance/hosts/adonisjs.js';
import { runCase } from '../../conformance/run-case.js';

const all = [...carriedCases, ...(await recordedCases())];

test('this is AdonisJS 7', async () => {
  const here = createRequire(import.meta.url);
  expect(Server).toBe((await import(here.resolve('@adonisjs/core/http'))).Server);
  expect(await readFile(here.resolve('@adonisjs/core/package.json'), 'utf8')).toMatch(/"version": "7\./);
});

describe.each(adonisHosts)('$name', (host) => {
  test.each(all)('$name', async (one) => {
    await runCase(host, one);
  });
});
