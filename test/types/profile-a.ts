// What the settings of profile A are given: each line below `@ts-expect-error` does not compile.
import type { ChannelModel } from 'amqplib';
import type Configure from '@adonisjs/core/commands/configure';
import type express from 'express';
import type { FastifyRequest } from 'fastify';
import { defineConfig } from 'lifesign/adonisjs';
import { configure } from 'lifesign';
import { HealthModule } from 'lifesign/nestjs';

const BASE_DIR = '/app';

// NestJS: the request of its platform, which only the application knows.
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request) => request.headers['x-user']?.toString() });
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request: express.Request) => request.get('x-user') });
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request: FastifyRequest) => request.ip });
// @ts-expect-error a user is a text or a number
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request) => request.headers });

// Message brokers
declare const amqp: ChannelModel;
HealthModule.forRoot({ BASE_DIR, HEALTH_BROKER: amqp });
HealthModule.forRoot({ BASE_DIR, HEALTH_BROKER: { orders: 'ORDERS_TOKEN', events: amqp } });
HealthModule.forRoot({ BASE_DIR, HEALTH_BROKER: ['ORDERS_TOKEN', () => amqp] });
// @ts-expect-error a function in an object may be a method
HealthModule.forRoot({ BASE_DIR, HEALTH_BROKER: { orders: 'ORDERS_TOKEN', events: () => amqp } });
defineConfig({ BASE_DIR, HEALTH_BROKER: async () => amqp });
// @ts-expect-error a port is no client
HealthModule.forRoot({ BASE_DIR, HEALTH_BROKER: 5672 });
// @ts-expect-error a function that returns no client
defineConfig({ BASE_DIR, HEALTH_BROKER: () => 5 });

// AdonisJS
defineConfig({ BASE_DIR, HEALTH_UID: (ctx) => ctx.request.header('x-user') });
defineConfig({ BASE_DIR, HEALTH_GROUPS: { payments: ['stripe'] } });
// @ts-expect-error a group is a list of names
HealthModule.forRoot({ BASE_DIR, HEALTH_GROUPS: { payments: 'stripe' } });
// @ts-expect-error a user is a text or a number
defineConfig({ BASE_DIR, HEALTH_UID: (ctx) => ctx.request });
defineConfig({ BASE_DIR, HEALTH_DB: 'main', HEALTH_MIGRATIONS: ['main'], HEALTH_REDIS: { a: 'main' } });
defineConfig({ BASE_DIR, HEALTH_DB: (app) => app.container.make('lucid.db') });
defineConfig({
  BASE_DIR,
  HEALTH_DB: async () => (await import('@adonisjs/lucid/services/db')).default.connection('x'),
});
defineConfig({ BASE_DIR, HEALTH_DB: () => import('@adonisjs/lucid/services/db') });
defineConfig({ BASE_DIR, HEALTH_REDIS: () => import('@adonisjs/redis/services/main') });
defineConfig({
  BASE_DIR,
  HEALTH_REDIS: async (app) => (await app.container.make('redis')).connection('main'),
});
defineConfig({ BASE_DIR, HEALTH_LOGGER: () => import('@adonisjs/core/services/logger') });
defineConfig({ BASE_DIR, HEALTH_LOGGER: 'app', HEALTH_DB: undefined });
defineConfig({ BASE_DIR, HEALTH_LOGGER: false });
// @ts-expect-error a function that returns no client
defineConfig({ BASE_DIR, HEALTH_DB: () => 5 });
// @ts-expect-error a number is no name
defineConfig({ BASE_DIR, HEALTH_REDIS: 6379 });
// @ts-expect-error a function that returns no logger
defineConfig({ BASE_DIR, HEALTH_LOGGER: () => ({}) });
configure satisfies (command: Configure) => Promise<void>;
defineConfig({
  BASE_DIR,
  HEALTH_DB: {
    main: 'main',
    replica: async (app) => (await app.container.make('lucid.db')).connection('main', { mode: 'read' }),
  },
});

// The names of options are taken beside the capitals of settings.
HealthModule.forRoot({
  baseDir: '/app',
  debug: true,
  failLevel: 'error',
  checks: [],
  page: { path: '/ops' },
});
HealthModule.forRoot({ BASE_DIR, drain: { delay: '10s' }, redis: 'REDIS' });
HealthModule.forRootAsync({ useFactory: () => ({ baseDir: '/app', every: '30s' }) });
defineConfig({ baseDir: new URL('file:///app'), db: 'main', uid: (ctx) => ctx.request.header('x-user') });
// @ts-expect-error the root is needed, by one of its names
HealthModule.forRoot({ failLevel: 'error' });
// @ts-expect-error no such level
HealthModule.forRoot({ baseDir: '/app', failLevel: 'bad' });
// @ts-expect-error no such level
defineConfig({ BASE_DIR, failLevel: 'bad' });
// @ts-expect-error no such option
defineConfig({ baseDir: '/app', failLevl: 'error' });
