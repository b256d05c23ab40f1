/** A small application of a kind that people have: its files, and what init must write. */
export interface Fixture {
  readonly files: Readonly<Record<string, string>>;
  /** Packages that it uses, of the project's own modules. */
  readonly packages: readonly string[];
  /** Lines that a file has afterwards. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  /** What init says instead of a change: the lines to write. */
  readonly told?: readonly string[];
  /** The folder of test/hosts with another major of its packages. */
  readonly host?: string;
  /** False if it is not started; or what it needs for that. */
  readonly starts?: false | 'postgres';
}

const manifest = (fields: object): string =>
  `${JSON.stringify({ name: 'shop', version: '1.0.0', private: true, ...fields }, null, 2)}\n`;
const port = 'process.env.PORT || 3000';

const nestjs = (major: number): Fixture => ({
  packages: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs', 'tsx'],
  files: {
    'package.json': manifest({
      scripts: { build: 'node -e 0', start: 'tsx src/main.ts' },
      dependencies: {
        '@nestjs/common': `^${major}.0.0`,
        '@nestjs/core': `^${major}.0.0`,
        '@nestjs/platform-express': `^${major}.0.0`,
      },
    }),
    'nest-cli.json': '{"sourceRoot":"src"}\n',
    'tsconfig.json':
      '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }\n',
    'src/main.ts': `import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module';\n\nasync function bootstrap() {\n  const app = await NestFactory.create(AppModule);\n  await app.listen(${port});\n}\nvoid bootstrap();\n`,
    'src/app.module.ts': `import { Module } from '@nestjs/common';\nimport { AppController } from './app.controller';\n\n@Module({\n  imports: [],\n  controllers: [AppController],\n})\nexport class AppModule {}\n`,
    'src/app.controller.ts': `import { Controller, Get } from '@nestjs/common';\n\n@Controller()\nexport class AppController {\n  @Get()\n  hello(): string {\n    return 'shop';\n  }\n}\n`,
  },
  lines: {},
  told: [
    "src/app.module.ts: import { HealthMiddleware, HealthModule } from 'lifesign/nestjs', write HealthModule.forRoot({ BASE_DIR: process.cwd(), DEBUG: process.env['NODE_ENV'] !== 'production', HEALTH_CHECKS: [] }) first in the imports of its @Module, and configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); } in the class",
  ],
});

export const applications: Readonly<Record<string, Fixture>> = {
  'Express in CommonJS with a router file': {
    packages: ['express', 'pg'],
    files: {
      'package.json': manifest({
        scripts: { start: 'node server.js' },
        dependencies: { express: '^5.0.0', pg: '^8.0.0' },
      }),
      'server.js': `const app = require('./app')\n\napp.listen(${port})\n`,
      'app.js': `const express = require('express')\nconst { pool } = require('./db')\nconst routes = require('./routes')\n\nconst app = express()\napp.use(express.json())\napp.use('/', routes)\n\nmodule.exports = app\n`,
      'routes.js': `const { Router } = require('express')\nconst { pool } = require('./db')\n\nconst router = Router()\nrouter.get('/', (req, res) => res.json({ idle: pool.idleCount }))\n\nmodule.exports = router\n`,
      'db.js': `const { Pool } = require('pg')\n\nconst pool = new Pool({ connectionString: 'postgres://127.0.0.1:9/shop', connectionTimeoutMillis: 500 })\n\nmodule.exports = { pool }\n`,
    },
    lines: {
      'app.js': ["const { Health } = require('lifesign/express')", 'new Health(app, { db: pool })'],
    },
  },
  'Express in TypeScript with a factory': {
    packages: ['express', 'ioredis', 'tsx', '@types/express', '@types/node'],
    files: {
      'package.json': manifest({
        type: 'module',
        scripts: { build: 'node -e 0', start: 'tsx src/main.ts' },
        dependencies: { express: '^5.0.0', ioredis: '^5.0.0' },
      }),
      'src/main.ts': `import { createApp } from "./app.js";\n\nconst app = createApp();\napp.listen(Number(${port}));\n`,
      'src/app.ts': `import express, { type Express } from "express";\nimport { redis } from "./redis.js";\n\nexport function createApp(): Express {\n  const app = express();\n  app.get("/", (_req, res) => {\n    res.json({ status: redis.status });\n  });\n  return app;\n}\n`,
      'src/redis.ts': `import { Redis } from "ioredis";\n\nexport const redis = new Redis({ port: 9, lazyConnect: true, maxRetriesPerRequest: 0 });\n`,
    },
    lines: { 'src/app.ts': ['import { Health } from "lifesign/express";', '  new Health(app, { redis });'] },
  },
  'Express with a class': {
    packages: ['express', 'tsx'],
    files: {
      'package.json': manifest({
        scripts: { start: 'tsx src/index.ts' },
        dependencies: { express: '^5.0.0' },
      }),
      'src/index.ts': `import express from 'express';\n\nclass Server {\n  private readonly app = express();\n\n  constructor(private readonly port: number) {\n    this.routes();\n  }\n\n  private routes(): void {\n    this.app.get('/', (_req, res) => void res.send('shop'));\n  }\n\n  start(): void {\n    this.app.listen(this.port);\n  }\n}\n\nnew Server(Number(${port})).start();\n`,
    },
    lines: {},
    told: ['write new Health(this.app) first in its constructor, with Health of lifesign/express'],
  },
  "Express generator's bin/www": {
    packages: ['express'],
    files: {
      'package.json': manifest({
        scripts: { start: 'node ./bin/www' },
        dependencies: { express: '~4.16.1' },
      }),
      'bin/www': `#!/usr/bin/env node\nvar app = require('../app');\nvar http = require('http');\n\nvar server = http.createServer(app);\nserver.listen(${port});\n`,
      'app.js': `var express = require('express');\nvar indexRouter = require('./routes/index');\n\nvar app = express();\n\napp.use(express.json());\napp.use('/', indexRouter);\n\nmodule.exports = app;\n`,
      'routes/index.js': `var express = require('express');\nvar router = express.Router();\n\nrouter.get('/', function(req, res, next) {\n  res.send('shop');\n});\n\nmodule.exports = router;\n`,
    },
    lines: { 'app.js': ["const { Health } = require('lifesign/express');", 'new Health(app);'] },
  },
  'Fastify with autoload': {
    packages: ['fastify', '@fastify/autoload'],
    files: {
      'package.json': manifest({
        type: 'module',
        main: 'server.js',
        scripts: { start: 'NODE_ENV=production node server.js' },
        dependencies: { '@fastify/autoload': '^6.0.0', fastify: '^5.0.0' },
      }),
      'server.js': `import { join } from 'node:path';\nimport autoload from '@fastify/autoload';\nimport Fastify from 'fastify';\n\nconst app = Fastify({ logger: true });\napp.register(autoload, { dir: join(import.meta.dirname, 'routes') });\n\nawait app.listen({ port: ${port}, host: '0.0.0.0' });\n`,
      'routes/root.js': `export default async function (fastify) {\n  fastify.get('/', async () => ({ shop: true }));\n}\n`,
    },
    lines: { 'server.js': ["import { Health } from 'lifesign/fastify';", 'new Health(app);'] },
  },
  'fastify-cli': {
    packages: ['fastify', 'fastify-cli', '@fastify/autoload'],
    files: {
      'package.json': manifest({
        main: 'app.js',
        scripts: { start: 'fastify start -l info app.js' },
        dependencies: { fastify: '^5.0.0', 'fastify-cli': '^7.0.0' },
      }),
      'app.js': `'use strict'\n\nconst path = require('node:path')\nconst AutoLoad = require('@fastify/autoload')\n\nmodule.exports = async function (fastify, opts) {\n  fastify.register(AutoLoad, { dir: path.join(__dirname, 'routes'), options: Object.assign({}, opts) })\n}\n\nmodule.exports.options = {}\n`,
      'routes/root.js': `'use strict'\n\nmodule.exports = async function (fastify) {\n  fastify.get('/', async () => ({ root: true }))\n}\n`,
    },
    lines: {},
    told: [
      'app.js: write new Health(fastify); first in the function that it exports, with Health of lifesign/fastify',
    ],
  },
  Koa: {
    packages: ['koa', 'mysql2'],
    files: {
      'package.json': manifest({
        scripts: { start: 'node index.js' },
        dependencies: { koa: '^3.0.0', mysql2: '^3.0.0' },
      }),
      'index.js': `const Koa = require('koa');\nconst mysql = require('mysql2/promise');\n\nconst app = new Koa(); // the shop\nconst pool = mysql.createPool({ host: '127.0.0.1', port: 9, connectTimeout: 500 });\n\napp.use((ctx) => {\n  ctx.body = { pool: typeof pool };\n});\n\napp.listen(${port});\n`,
    },
    lines: { 'index.js': ["const { Health } = require('lifesign/koa');", 'new Health(app, { db: pool });'] },
  },
  Hono: {
    packages: ['hono', '@hono/node-server', 'tsx'],
    files: {
      'package.json': manifest({
        type: 'module',
        scripts: { dev: 'tsx watch src/index.ts', start: 'tsx src/index.ts' },
        dependencies: { '@hono/node-server': '^1.0.0', hono: '^4.0.0' },
      }),
      'src/index.ts': `import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\nimport { orders } from './orders.js'\n\nconst app = new Hono()\n\napp.get('/', (c) => c.text('shop'))\napp.route('/orders', orders)\n\nserve({ fetch: app.fetch, port: Number(${port}) })\n`,
      'src/orders.ts': `import { Hono } from 'hono'\n\nexport const orders = new Hono()\norders.get('/', (c) => c.json([]))\n`,
    },
    lines: { 'src/index.ts': ["import { Health } from 'lifesign/hono'", 'new Health(app)'] },
  },
  'node:http in one chain': {
    packages: [],
    files: {
      'package.json': manifest({ scripts: { start: 'node server.mjs' } }),
      'server.mjs': `import http from 'node:http';\n\nhttp.createServer((req, res) => {\n  res.end('shop');\n}).listen(${port}, () => console.error('listens'));\n`,
    },
    lines: {},
    told: [
      'server.mjs creates the node application in a way that later lines cannot refer to: give it a name, and write new Health(app) after it, with Health of lifesign/node',
    ],
  },
  'no scripts in package.json': {
    packages: [],
    files: {
      'package.json': '{"name":"shop"}',
      'index.js': `const { createServer } = require('http');\nconst server = createServer((req, res) => res.end('shop'));\nserver.listen(${port});\n`,
    },
    lines: { 'index.js': ["const { Health } = require('lifesign/node');", 'new Health(server);'] },
    starts: false,
  },
  'a BullMQ worker': {
    packages: ['bullmq', 'ioredis'],
    files: {
      'package.json': manifest({
        type: 'module',
        scripts: { start: 'node worker.js' },
        dependencies: { bullmq: '^5.0.0', ioredis: '^5.0.0' },
      }),
      'worker.js': `import { Worker } from 'bullmq';\nimport IORedis from 'ioredis';\n\nconst connection = new IORedis(process.env.REDIS_URL, { maxRetriesPerRequest: null });\n\nconst worker = new Worker('mail', async (job) => console.log(job.name), { connection });\nworker.on('failed', (job, error) => console.error(error.message));\n`,
    },
    lines: {},
    told: [
      'worker.js:6 creates a worker of BullMQ: give it a name, and after it write const health = new Health({ redis: connection }); drainOnSignals(health, { stop: worker }); with drainOnSignals and Health of lifesign/worker',
    ],
  },
  'a package of a monorepo, with an alias of tsconfig.json': {
    packages: ['express', 'tsx'],
    files: {
      'package.json': manifest({
        name: '@shop/api',
        type: 'module',
        scripts: { start: 'tsx src/main.ts' },
        dependencies: { '@shop/common': 'workspace:*', express: '^5.0.0' },
      }),
      'tsconfig.json': `{\n  // Aliases\n  "compilerOptions": { "module": "nodenext", "paths": { "@/*": ["./src/*"] } },\n}\n`,
      'src/main.ts': `import { app } from '@/app';\n\napp.listen(Number(${port}));\n`,
      'src/app.ts': `import express from 'express';\n\nexport const app = express();\napp.get('/', (_request, response) => void response.send('shop'));\n`,
    },
    lines: { 'src/app.ts': ["import { Health } from 'lifesign/express';", 'new Health(app);'] },
  },
  Prisma: {
    packages: ['express', '@prisma/client', '@prisma/adapter-pg', 'prisma'],
    host: 'prisma6',
    files: {
      'package.json': manifest({
        scripts: { build: 'prisma generate', start: 'node src/server.js' },
        dependencies: { '@prisma/adapter-pg': '^6.0.0', '@prisma/client': '^6.0.0', express: '^5.0.0' },
      }),
      'prisma/schema.prisma': `generator client {\n  provider = "prisma-client-js"\n  output = "../src/generated"\n  engineType = "client"\n}\n\ndatasource db {\n  provider = "postgresql"\n  url = env("DATABASE_URL")\n}\n\nmodel User {\n  id Int @id\n}\n`,
      'prisma/migrations/20260101000000_init/migration.sql': 'SELECT 1;\n',
      'src/prisma.js': `const { PrismaPg } = require('@prisma/adapter-pg');\nconst { PrismaClient } = require('./generated');\n\nconst adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });\nconst prisma = global.prisma || new PrismaClient({ adapter });\nmodule.exports = prisma;\n`,
      'src/server.js': `const express = require('express');\nconst prisma = require('./prisma');\n\nconst app = express();\napp.get('/', async (req, res) => res.json(await prisma.user.findMany()));\napp.listen(${port});\n`,
    },
    lines: {
      'src/server.js': [
        "new Health(app, { db: prisma, migrations: { db: prisma, migrationsFolder: './prisma/migrations' } });",
      ],
    },
    starts: 'postgres',
  },
  Drizzle: {
    packages: ['hono', '@hono/node-server', 'drizzle-orm', 'pg', 'tsx'],
    files: {
      'package.json': manifest({
        type: 'module',
        scripts: { start: 'tsx src/index.ts' },
        dependencies: {
          '@hono/node-server': '^1.0.0',
          'drizzle-orm': '^0.45.0',
          hono: '^4.0.0',
          pg: '^8.0.0',
        },
      }),
      'drizzle/meta/_journal.json': '{"version":"7","dialect":"postgresql","entries":[]}\n',
      'src/db.ts': `import { drizzle } from 'drizzle-orm/node-postgres';\nimport pg from 'pg';\n\nconst pool = new pg.Pool({ connectionString: 'postgres://127.0.0.1:9/shop', connectionTimeoutMillis: 500 });\nexport const db = drizzle(pool);\n`,
      'src/index.ts': `import { serve } from '@hono/node-server';\nimport { sql } from 'drizzle-orm';\nimport { Hono } from 'hono';\nimport { db } from './db';\n\nconst app = new Hono();\napp.get('/', async (c) => c.json(await db.execute(sql\`SELECT 1\`)));\n\nserve({ fetch: app.fetch, port: Number(${port}) });\n`,
    },
    lines: {
      'src/index.ts': ["new Health(app, { db, migrations: { db, migrationsFolder: './drizzle' } });"],
    },
  },
  Knex: {
    packages: ['express', 'knex', 'pg'],
    files: {
      'package.json': manifest({
        scripts: { start: 'node index.js' },
        dependencies: { express: '^5.0.0', knex: '^3.0.0', pg: '^8.0.0' },
      }),
      'migrations/20260101_init.js': 'exports.up = () => {};\nexports.down = () => {};\n',
      'index.js': `const express = require('express');\nconst knex = require('knex')({ client: 'pg', connection: 'postgres://127.0.0.1:9/shop', acquireConnectionTimeout: 500 });\n\nconst app = express();\napp.get('/', async (req, res) => res.json(await knex.raw('SELECT 1')));\napp.listen(${port});\n`,
    },
    lines: { 'index.js': ['new Health(app, { db: knex, migrations: knex });'] },
  },
  Mongoose: {
    packages: ['express', 'mongoose'],
    files: {
      'package.json': manifest({
        scripts: { start: 'node src/index.js' },
        dependencies: { express: '^5.0.0', mongoose: '^8.0.0' },
      }),
      'src/user.js': `const mongoose = require('mongoose');\n\nmodule.exports = mongoose.model('User', new mongoose.Schema({ name: String }));\n`,
      'src/index.js': `const express = require('express');\nconst mongoose = require('mongoose');\nconst User = require('./user');\n\nconst app = express();\napp.get('/', async (req, res) => res.json(await User.find()));\n\nmongoose.connect('mongodb://127.0.0.1:9/shop', { serverSelectionTimeoutMS: 500 }).catch((error) => console.error(error.message));\napp.listen(${port});\n`,
    },
    lines: { 'src/index.js': ["const { Health } = require('lifesign/express');", 'new Health(app);'] },
  },
  'NestJS 12': nestjs(12),
  'NestJS 11': { ...nestjs(11), host: 'nest11' },
  'NestJS with a HealthModule, a configure and a PrismaService of its own': {
    packages: [],
    files: {
      'package.json': manifest({
        scripts: { start: 'nest start' },
        dependencies: { '@nestjs/core': '^11.0.0' },
      }),
      'src/main.ts': `import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module';\n\nasync function bootstrap() {\n  const app = await NestFactory.create(AppModule);\n  await app.listen(3000);\n}\nvoid bootstrap();\n`,
      'src/health/health.module.ts': `import { Module } from '@nestjs/common';\n\n@Module({})\nexport class HealthModule {}\n`,
      'src/prisma/prisma.service.ts': `import { Injectable } from '@nestjs/common';\nimport { PrismaClient } from '@prisma/client';\n\n@Injectable()\nexport class PrismaService extends PrismaClient {}\n`,
      'src/prisma/prisma.module.ts': `import { Global, Module } from '@nestjs/common';\nimport { PrismaService } from './prisma.service';\n\n@Global()\n@Module({ providers: [PrismaService], exports: [PrismaService] })\nexport class PrismaModule {}\n`,
      'src/app.module.ts': `import { MiddlewareConsumer, Module, NestModule } from '@nestjs/common';\nimport { HealthModule } from './health/health.module';\nimport { PrismaModule } from './prisma/prisma.module';\n\n@Module({\n  imports: [\n    PrismaModule,\n    HealthModule,\n  ],\n})\nexport class AppModule implements NestModule {\n  configure(builder: MiddlewareConsumer): void {\n    builder.apply().forRoutes('orders');\n  }\n}\n`,
    },
    lines: {},
    told: ["DEBUG: process.env['NODE_ENV'] !== 'production', db: PrismaService })"],
    starts: false,
  },
  'Next.js': {
    packages: [],
    files: {
      'package.json': manifest({
        scripts: { build: 'next build', dev: 'next dev', start: 'next start --keepAliveTimeout 70000' },
        dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
      }),
      'app/layout.js': `export default function Layout({ children }) {\n  return <html><body>{children}</body></html>;\n}\n`,
      'app/page.js': `export default function Page() {\n  return <p>shop</p>;\n}\n`,
    },
    lines: {},
    told: [
      'package.json: write "node --import lifesign/auto node_modules/next/dist/bin/next start --keepAliveTimeout 70000" as the script start',
    ],
    starts: false,
  },
};
