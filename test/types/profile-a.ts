// What the settings of profile A are given: each line below `@ts-expect-error` does not compile.
import type express from 'express';
import type { FastifyRequest } from 'fastify';
import { defineConfig } from '../../src/frameworks/adonisjs/index.js';
import { HealthModule } from '../../src/frameworks/nestjs/index.js';

const BASE_DIR = '/app';

// NestJS: the request of its platform, which only the application knows.
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request) => request.headers['x-user']?.toString() });
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request: express.Request) => request.get('x-user') });
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request: FastifyRequest) => request.ip });
// @ts-expect-error a user is a text or a number
HealthModule.forRoot({ BASE_DIR, HEALTH_UID: (request) => request.headers });

// AdonisJS
defineConfig({ BASE_DIR, HEALTH_UID: (ctx) => ctx.request.header('x-user') });
// @ts-expect-error a user is a text or a number
defineConfig({ BASE_DIR, HEALTH_UID: (ctx) => ctx.request });
