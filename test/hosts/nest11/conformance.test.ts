import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { NestApplication } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { describe, expect, test } from 'vitest';
import { carriedCases, recordedCases } from '../../conformance/cases/index.js';
import { nestHosts } from '../../conformance/hosts/nestjs.js';
import { runCase } from '../../conformance/run-case.js';

const all = [...carriedCases, ...(await recordedCases())];

test('this is NestJS 11', async () => {
  const here = createRequire(import.meta.url);
  expect(NestApplication).toBe(here('@nestjs/core').NestApplication);
  expect(FastifyAdapter).toBe(here('@nestjs/platform-fastify').FastifyAdapter);
  expect(await readFile(here.resolve('@nestjs/core/package.json'), 'utf8')).toMatch(/"version": "11\./);
});

describe.each(nestHosts)('$name', (host) => {
  test.each(all)('$name', async (one) => {
    await runCase(host, one);
  });
});
