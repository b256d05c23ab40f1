import 'reflect-metadata';
import { tmpdir } from 'node:os';
import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { expect, test, vi } from 'vitest';
import { Health, HealthModule } from '../../src/frameworks/nestjs/index.js';

test('settings from a ConfigService', async () => {
  vi.stubEnv('ACME_ROOT', tmpdir());
  const target = class {
    readonly kind = 'module';
  };
  const health = HealthModule.forRootAsync({
    imports: [ConfigModule.forRoot({ ignoreEnvFile: true })],
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({
      BASE_DIR: config.getOrThrow<string>('ACME_ROOT'),
      DEBUG: config.get('ACME_DEBUG') === 'true',
      HEALTH_TIMEOUT: config.get<number>('ACME_TIMEOUT'),
      HEALTH_CHECKS: [],
    }),
  });
  Module({ imports: [health] })(target);
  const app = await NestFactory.createApplicationContext(target, { logger: false, abortOnError: false });
  expect(app.get(Health).options).toMatchObject({ versionPath: tmpdir(), details: false, timeout: 5000 });
  await app.close();
  vi.unstubAllEnvs();
});
