import 'reflect-metadata';
import { tmpdir } from 'node:os';
import { Module } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { expect, test, vi } from 'vitest';
import { Health, HealthModule } from 'lifesign/nestjs';

test.each([
  ['unset', undefined, undefined, { details: false, timeout: 5000 }],
  ['texts, as an environment has them', 'true', '500', { details: true, timeout: 500 }],
  ['the other truth', 'false', '1', { details: false, timeout: 1 }],
  ['empty', '', '', { details: false, timeout: 5000 }],
])('settings from a ConfigService: %s', async (_, debug, timeout, options) => {
  vi.stubEnv('ACME_ROOT', tmpdir());
  vi.stubEnv('ACME_DEBUG', debug);
  vi.stubEnv('ACME_TIMEOUT', timeout);
  const target = class {
    readonly kind = 'module';
  };
  const health = HealthModule.forRootAsync({
    imports: [ConfigModule.forRoot({ ignoreEnvFile: true })],
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({
      BASE_DIR: config.getOrThrow<string>('ACME_ROOT'),
      DEBUG: config.get<boolean>('ACME_DEBUG'),
      timeout: Number(config.get('ACME_TIMEOUT')) || undefined,
      HEALTH_CHECKS: [],
    }),
  });
  Module({ imports: [health] })(target);
  const app = await NestFactory.createApplicationContext(target, { logger: false, abortOnError: false });
  expect(app.get(Health).options).toMatchObject({ versionPath: tmpdir(), ...options });
  await app.close();
  vi.unstubAllEnvs();
});
