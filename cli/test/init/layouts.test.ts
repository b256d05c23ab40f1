// How public applications are laid out: which of their files creates the application that serves requests.
import { expect, test } from 'vitest';
import { manifest, planned } from './planned.js';

const project = (
  dependencies: object,
  files: Readonly<Record<string, string>>,
  fields: object = {},
): ReturnType<typeof planned> =>
  planned({
    'package.json': manifest({ scripts: { start: 'node src/index.js' }, dependencies, ...fields }),
    ...files,
  });

test('an application that a constructor creates', () => {
  const { file, notes } = project(
    { fastify: '^5.0.0', postgres: '^3.0.0' },
    {
      'src/index.js': `import Fastify from 'fastify';
import postgres from 'postgres';
export class Server {
  #app;
  constructor(options) {
    this.#app = Fastify(options).withTypeProvider();
    this.sql = postgres(options.url);
    Object.freeze(this);
  }
}
`,
    },
  );
  expect(file('src/index.js')).toContain('.withTypeProvider();\n    new Health(this.#app);\n    this.sql');
  expect(notes.join('\n')).toContain('write db: client into the options of Health in src/index.js');
});

test('a class that extends the one of the framework: the line of its constructor is named', () => {
  const { what, files, notes } = project(
    { koa: '^3.0.0' },
    {
      'src/index.js': "const App = require('./app');\nnew App().listen(3000);\n",
      'src/app.js': "const Koa = require('koa');\nmodule.exports = class App extends Koa {};\n",
    },
  );
  expect([what, files]).toEqual(['Koa, in src/app.js', []]);
  expect(notes.join()).toContain('write new Health(this) after super() in its constructor');
});

test.each([
  ['called once gets the line inside', '', 'src/app.js'],
  ['called twice gets it where the one that serves has a name', "make('admin');\n", 'src/index.js'],
])('a function that names the application that it returns: %s', (_, more, changed) => {
  const { files } = project(
    { express: '^5.0.0' },
    {
      'src/index.js': `const make = require('./app');\nconst app = make('shop');\n${more}app.listen(3000);\n`,
      'src/app.js':
        "const express = require('express');\nmodule.exports = (name) => {\n  const app = express().disable('etag').use(express.json());\n  app.set('name', name);\n  return app;\n};\n",
    },
  );
  expect(files[0]).toBe(changed);
});

test('applications that are mounted by another middleware, or used in one', () => {
  const child = (name: string): string =>
    `import Koa from 'koa';\nconst ${name} = new Koa();\nexport default ${name};\n`;
  const { file, files } = project(
    { koa: '^3.0.0' },
    {
      'src/index.js': `import Koa from 'koa';
import compose from 'koa-compose';
import mount from 'koa-mount';
import session from 'koa-session';
import api from './api.js';
const app = new Koa(); // ours
import pages from './pages.js';
app.use(session(app));
app.use(mount('/api', api));
app.use(async (ctx) => await compose(pages.middleware)(ctx));
app.listen(3000);
`,
      'src/api.js': child('api'),
      'src/pages.js': child('app'),
    },
  );
  expect(files).toEqual(['src/index.js', 'package.json']);
  expect(file('src/index.js')).toContain(
    "from './api.js';\nimport { Health } from 'lifesign/koa';\nconst app",
  );
  expect(file('src/index.js')).toContain('const app = new Koa(); // ours\nnew Health(app);\n');
});

test('a router that uses the file of the application does not hide it', () => {
  const { notes } = project(
    { express: '^5.0.0' },
    {
      'src/index.js': `const { Server } = require('./server');
const setup = require('./setup');
const app = new Server().app;
app.use(require('./router'));
setup.start();
app.listen(3000);
`,
      'src/server.js': `const express = require('express');
exports.Server = class Server {
  constructor() {
    this.app = express();
  }
};
`,
      'src/router.js': `const express = require('express');
const { Server } = require('./server');
module.exports = express.Router().get('/', () => Server);
`,
      'src/setup.js': `const express = require('express');
exports.start = () => {
  const app = express();
  app.listen(3001);
};
`,
    },
  );
  expect(notes.join()).toContain(
    'Several applications could be the one that serves requests (this.app in src/server.js, app in src/setup.js)',
  );
});

const router = `import { OpenAPIHono } from '@hono/zod-openapi';
export const createRouter = () => {
  return new OpenAPIHono({ strict: false });
};
`;

test('a function that returns new applications: the one with a name is taken', () => {
  const { files, file } = project(
    { hono: '^4.0.0', '@hono/zod-openapi': '^1.0.0' },
    {
      'src/index.js': `import { serve } from '@hono/node-server';
import createApp from './create-app.js';
import index from './routes.js';
const app = createApp();
for (const route of [index]) app.route('/', route);
serve({ fetch: app.fetch, port: 3000 });
`,
      'src/create-app.js': `import { createRouter } from './router.js';
export default function createApp() {
  const app = createRouter();
  return app;
}
`,
      'src/router.js': router,
      'src/routes.js':
        "import { createRouter } from './router.js';\nexport default createRouter().openapi({}, () => {});\n",
    },
  );
  expect(files).toEqual(['src/create-app.js', 'package.json']);
  expect(file('src/create-app.js')).toContain('const app = createRouter();\n  new Health(app);');
});

test('a function that returns new applications, and no call of it: the line is named', () => {
  const { files, notes } = project({ hono: '^4.0.0' }, { 'src/index.js': router });
  expect(files).toEqual([]);
  expect(notes.join()).toContain(
    'as the result of createRouter(): write new Health(app) after the call that creates the one which serves requests',
  );
});

test('the server of routing-controllers, in a folder that the compiler looks into', () => {
  const { file } = project(
    { express: '^4.0.0', 'routing-controllers': '^0.11.0' },
    {
      'tsconfig.json': '{ "compilerOptions": { "baseUrl": "./src" } }',
      'src/index.ts': "import { app } from 'loaders/express';\napp.listen(3000);\n",
      'src/loaders/express.ts': `import { createExpressServer } from 'routing-controllers';
export const app = createExpressServer({ controllers: [] });
`,
    },
  );
  expect(file('src/loaders/express.ts')).toContain('new Health(app);');
});

test('lines for a version that the entry is not for, and for one of several applications', () => {
  const pool = "import pg from 'pg';\nexport const pool = new pg.Pool();\n";
  const old = project(
    { koa: '^1.0.0', pg: '^8.0.0', mongodb: '^6.0.0' },
    {
      'src/index.js':
        "import Koa from 'koa';\nimport './db.js';\nconst app = new Koa();\napp.listen(3000);\n",
      'src/db.js': pool,
    },
  );
  expect(old.notes).toEqual([
    'lifesign/koa is for koa 2 to 3, and this project has 1: start it with node --import lifesign/auto instead',
    'src/db.js:2 creates pool of pg, and no check was added for it: take it from src/db.js, and write watch({ db: pool }); in src/index.js, with watch of lifesign/auto',
    'mongodb is among the dependencies, and no check was added for it: write watch({ checks: { mongodb: checks.mongo(client) } }); in src/index.js, with watch of lifesign/auto and checks of lifesign/checks',
  ]);
  const several = project(
    { koa: '^3.0.0', pg: '^8.0.0' },
    { 'src/index.js': `${pool}import Koa from 'koa';\nconst one = new Koa();\nconst two = new Koa();\n` },
  );
  expect(several.notes).toHaveLength(2);
  expect(several.notes[1]).toContain('src/index.js:2 creates pool of pg, and no check was added for it');
});
