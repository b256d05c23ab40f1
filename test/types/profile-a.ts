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
HealthModule.forRoot({ BASE_DIR, uid: (request) => request.headers['x-user']?.toString() });
HealthModule.forRoot({ BASE_DIR, uid: (request: express.Request) => request.get('x-user') });
HealthModule.forRoot({ BASE_DIR, uid: (request: FastifyRequest) => request.ip });
// @ts-expect-error a user is a text or a number
HealthModule.forRoot({ BASE_DIR, uid: (request) => request.headers });

// Message brokers
declare const amqp: ChannelModel;
HealthModule.forRoot({ BASE_DIR, broker: amqp });
HealthModule.forRoot({ BASE_DIR, broker: { orders: 'ORDERS_TOKEN', events: amqp } });
HealthModule.forRoot({ BASE_DIR, broker: ['ORDERS_TOKEN', () => amqp] });
defineConfig({ BASE_DIR, broker: async () => amqp });

// AdonisJS
defineConfig({ BASE_DIR, uid: (ctx) => ctx.request.header('x-user') });
defineConfig({ BASE_DIR, groups: { payments: ['stripe'] } });
// @ts-expect-error a user is a text or a number
defineConfig({ BASE_DIR, uid: (ctx) => ctx.request });
defineConfig({ BASE_DIR, db: 'main', migrations: ['main'], redis: { a: 'main' } });
defineConfig({ BASE_DIR, db: (app) => app.container.make('lucid.db') });
defineConfig({
  BASE_DIR,
  db: async () => (await import('@adonisjs/lucid/services/db')).default.connection('x'),
});
defineConfig({ BASE_DIR, db: () => import('@adonisjs/lucid/services/db') });
defineConfig({ BASE_DIR, redis: () => import('@adonisjs/redis/services/main') });
defineConfig({
  BASE_DIR,
  redis: async (app) => (await app.container.make('redis')).connection('main'),
});
defineConfig({ BASE_DIR, logger: () => import('@adonisjs/core/services/logger') });
defineConfig({ BASE_DIR, logger: 'app', db: undefined });
defineConfig({ BASE_DIR, logger: false });
// @ts-expect-error a function that returns no client
defineConfig({ BASE_DIR, db: () => 5 });
// @ts-expect-error a function that returns no logger
defineConfig({ BASE_DIR, logger: () => ({}) });
configure satisfies (command: Configure) => Promise<void>;
defineConfig({
  BASE_DIR,
  db: {
    main: 'main',
    replica: async (app) => (await app.container.make('lucid.db')).connection('main', { mode: 'read' }),
  },
});

HealthModule.forRoot({ BASE_DIR, DEBUG: true, failLevel: 'error', page: { path: '/ops' } });
HealthModule.forRoot({ BASE_DIR, drain: { delay: '10s' }, redis: 'REDIS', SILENCED_SYSTEM_CHECKS: ['a'] });
HealthModule.forRootAsync({ useFactory: () => ({ BASE_DIR, every: '30s' }) });
// @ts-expect-error the root is needed
HealthModule.forRoot({ failLevel: 'error' });
// @ts-expect-error it is called DEBUG
defineConfig({ BASE_DIR, details: true });
