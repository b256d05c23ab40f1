import { expect, test } from 'vitest';
import { inProcess } from '../run.js';
import { manifest } from './planned.js';
import { writeProject } from './write-project.js';

/** What init changes in a project, and what it says. */
async function init(files: Readonly<Record<string, string>>, at = '') {
  const cwd = `${writeProject(files)}/${at}`;
  const { stdout, stderr } = await inProcess(['init'], { cwd });
  return { diff: stdout, notes: stderr.split('\n').filter((line) => line.startsWith('- ')) };
}

const start = { start: 'node index.js' };
const fastify = (more = ''): string =>
  `import Fastify from 'fastify';\nimport autoload from '@fastify/autoload';\nconst app = Fastify();\n${more}app.register(autoload, { dir: 'plugins' });\nawait app.listen({ port: 3000 });\n`;
const plugin = (body: string): string => `import fp from 'fastify-plugin';\n${body}`;

test('a plugin of Fastify that is loaded from a folder', async () => {
  const { notes } = await init({
    'package.json': manifest({
      type: 'module',
      scripts: start,
      dependencies: { fastify: '^5.0.0', '@fastify/postgres': '^6.0.0', pg: '^8.0.0' },
    }),
    'index.js': fastify(),
    'plugins/db.js': plugin(
      "import postgres from '@fastify/postgres';\nexport default fp((app) => app.register(postgres));\n",
    ),
  });
  expect(notes).toEqual([
    "- plugins/db.js uses @fastify/postgres, and no check was added for it: write const health = before its new Health in index.js, and app.addHook('onReady', async () => void health.check('database', checks.checkDatabaseConnected(app.pg.pool))) after it, with checks of lifesign/fastify",
  ]);
});

test('a client that such a plugin decorates the application with, under fastify-cli', async () => {
  const { notes } = await init({
    'package.json': manifest({
      type: 'module',
      scripts: { start: 'fastify start app.js' },
      dependencies: { fastify: '^5.0.0', 'fastify-cli': '^8.0.0', knex: '^3.0.0', mysql2: '^3.0.0' },
    }),
    'app.js':
      "import autoload from '@fastify/autoload';\nexport default async function shop(fastify) {\n  await fastify.register(autoload, { dir: 'plugins' });\n}\n",
    'plugins/knex.js': plugin(
      "import knex from 'knex';\nexport default fp(async (fastify, opts) => {\n  fastify.decorate('knex', knex(opts));\n});\n",
    ),
  });
  expect(notes).toHaveLength(2);
  expect(notes[1]).toContain(
    "plugins/knex.js uses knex, and no check was added for it: write const health = new Health(fastify); fastify.addHook('onReady', async () => void health.check('database', checks.checkDatabaseConnected(fastify.knex)));",
  );
});

test('a pool of another package of the monorepo', async () => {
  const { notes } = await init(
    {
      'package.json': '{ "workspaces": ["apps/*", "packages/*"] }\n',
      'packages/db/package.json':
        '{ "name": "@acme/db", "main": "index.js", "dependencies": { "pg": "^8.0.0" } }\n',
      'packages/db/index.js': "export * from './pool.js';\n",
      'packages/db/pool.js': "import { Pool } from 'pg';\nexport const pool = new Pool();\n",
      'apps/shop/package.json': manifest({
        scripts: start,
        dependencies: { express: '^5.0.0', '@acme/db': '*' },
      }),
      'apps/shop/index.js': "const app = require('express')();\nrequire('@acme/db');\napp.listen(3000);\n",
    },
    'apps/shop',
  );
  expect(notes).toEqual([
    '- ../../packages/db/pool.js uses pg, and no check was added for it: take the client from @acme/db, and write db: client into the options of Health in index.js',
  ]);
});

const nest = (dependencies: object, imports: string, more: Readonly<Record<string, string>> = {}) =>
  init({
    'package.json': manifest({
      scripts: { start: 'tsx src/main.ts' },
      dependencies: { '@nestjs/common': '^11.0.0', '@nestjs/core': '^11.0.0', ...dependencies },
    }),
    'src/main.ts':
      "import { NestFactory } from '@nestjs/core';\nimport { AppModule } from './app.module';\nconst app = await NestFactory.create(AppModule);\nawait app.listen(3000);\n",
    'src/app.module.ts': `import { Module } from '@nestjs/common';\n${imports}\n\n@Module({ imports: [] })\nexport class AppModule {}\n`,
    ...more,
  });

test('NestJS with only Mongoose', async () => {
  const { diff, notes } = await nest(
    { '@nestjs/mongoose': '^11.0.0', mongoose: '^8.0.0' },
    "import { MongooseModule } from '@nestjs/mongoose';",
  );
  expect(diff).toBe('');
  expect(notes.join()).toContain('HEALTH_CHECKS: []');
  expect(notes).toHaveLength(2);
  expect(notes[1]).toContain(
    "constructor(@Inject(Health) health: Health, @InjectConnection() client: Connection) { health.check('mongodb', checks.mongo(client)); }",
  );
});

test('NestJS: a database that the container has is found there, another client is not', async () => {
  const { diff, notes } = await nest(
    { '@nestjs/typeorm': '^11.0.0', typeorm: '^0.3.0', pg: '^8.0.0', ioredis: '^5.0.0' },
    "import { TypeOrmModule } from '@nestjs/typeorm';\nimport './redis';",
    {
      'src/redis.ts':
        "import { Redis } from 'ioredis';\nexport const redis = { provide: 'REDIS', useFactory: () => new Redis() };\n",
    },
  );
  expect(diff).toBe('');
  expect(notes[0]).not.toContain('HEALTH_CHECKS');
  expect(notes).toHaveLength(3);
  expect(notes[1]).toContain(
    'lifesign finds its client if that is a provider; otherwise write HEALTH_CHECKS: []',
  );
  expect(notes[2]).toContain(
    "src/redis.ts uses ioredis, and no check was added for it: write constructor(@Inject(Health) health: Health, @Inject('REDIS') client: Redis) { health.check('redis', checks.checkRedisConnected(client)); }",
  );
});

test.each([
  ['provided', "export const db = { provide: 'DB', useFactory: () => new Pool() };\n"],
  ['kept in a class', 'export class Shop {\n  pool = new Pool();\n}\n'],
])('NestJS: a pool that is %s', async (_name, text) => {
  const { notes } = await nest({ pg: '^8.0.0' }, "import './db';", {
    'src/db.ts': `import { Pool } from 'pg';\n${text}`,
  });
  expect(notes[0]).not.toContain('HEALTH_CHECKS');
  expect(notes[1]).toContain(
    'src/db.ts uses pg: lifesign finds its client if that is a provider; otherwise write HEALTH_CHECKS: [] into the settings, and constructor(',
  );
});

test('a client of MongoDB is named with the lines of its check', async () => {
  const { diff, notes } = await init({
    'package.json': manifest({ scripts: start, dependencies: { express: '^5.0.0', mongoose: '^8.0.0' } }),
    'index.js':
      "const app = require('express')();\nrequire('mongoose').connect('mongodb://db');\napp.listen(3000);\n",
  });
  expect(diff).toContain('+new Health(app);');
  expect(notes).toEqual([
    "- index.js:2 creates a client of mongoose, and no check was added for it: write const health = before its new Health in index.js, and health.check('mongodb', checks.mongo(mongoose.connection)) after it, with checks of lifesign/express",
  ]);
});

test('clients of MongoDB that are not created with new', async () => {
  const { notes } = await init({
    'package.json': manifest({
      scripts: start,
      dependencies: { express: '^5.0.0', mongodb: '^6.0.0', mongoose: '^8.0.0' },
    }),
    'index.js':
      "const app = require('express')();\nrequire('./mongo');\nrequire('mongoose').plugin(() => {}).connect('mongodb://db');\napp.listen(3000);\n",
    'mongo.js':
      "const { MongoClient } = require('mongodb');\nexports.open = async () => await MongoClient.connect('mongodb://db');\n",
  });
  expect(notes[0]).toContain('mongo.js:2 creates a client of mongodb, and no check was added for it');
  expect(notes[1]).toContain('index.js uses mongoose, and no check was added for it: write const health =');
  expect(notes[1]).toContain('checks.mongo(mongoose.connection)');
});

test('a dependency that no code uses, and one only for development', async () => {
  const { notes } = await init({
    'package.json': manifest({
      scripts: start,
      dependencies: { express: '^5.0.0', redis: '^5.0.0' },
      devDependencies: { pg: '^8.0.0' },
    }),
    'index.js': "const app = require('express')();\napp.listen(3000);\n",
  });
  expect(notes).toEqual([
    '- redis is among the dependencies, and no check was added for it: write redis: client into the options of Health in index.js',
  ]);
});
