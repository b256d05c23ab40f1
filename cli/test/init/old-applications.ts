import { nestControllers, nestWithTerminus } from './old-nest.js';

/** An application with a package that lifesign replaces, in the shape of public ones. */
interface Old {
  readonly from: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Migrated extends Old {
  /** The package that goes, unless a note says that it is still used. */
  readonly removes: string;
  /** What files contain afterwards, and what none contains. */
  readonly lines: Readonly<Record<string, readonly string[]>>;
  readonly gone?: readonly string[];
  readonly deleted?: readonly string[];
  readonly notes?: readonly string[];
}

const manifest = (dependencies: object, fields: object = {}): string =>
  `${JSON.stringify({ name: 'shop', scripts: { start: 'node server.js' }, dependencies, ...fields }, null, 2)}\n`;
const terminus = { '@godaddy/terminus': '^4.12.1', express: '^5.0.0' };
const esm = { type: 'module' };

/** Express beside lightship, on this port. */
const lightshipOn = (declarations: string, port: string) => ({
  'package.json': manifest({ express: '^5.0.0', lightship: '^9.0.0' }, esm),
  'server.js': `import express from 'express';\nimport { createLightship } from 'lightship';\n\n${declarations}const lightship = await createLightship({ port: ${port} });\napp.listen(3000);\nlightship.signalReady();\n`,
});

export const migrated: Readonly<Record<string, Migrated>> = {
  'terminus around a server in a chain, with named options and no semicolons': {
    from: 'godaddy-terminus',
    removes: '@godaddy/terminus',
    files: {
      'package.json': manifest(terminus),
      'server.js': `const http = require('http')
const express = require('express')
const { createTerminus, HealthCheckError } = require('@godaddy/terminus')

const app = express()

async function onHealthCheck ({ state }) {
  if (state.isShuttingDown) throw new HealthCheckError('leaving', [])
  return { shop: 'open' }
}

function beforeShutdown () {
  // As long as a probe
  return new Promise(resolve => {
    setTimeout(resolve, 5000)
  })
}

const options = {
  healthChecks: { '/healthz': onHealthCheck, '/live': async () => true, verbatim: true },
  timeout: 1000,
  signals: ['SIGTERM'],
  beforeShutdown,
  logger: console.log,
  onShutdown () {
    console.log('gone')
  },
  onSignal: async () => {
    console.log('bye')
  }
}

async function start () {
  createTerminus(http.createServer(app), options).listen(3000)
}
start()
`,
    },
    lines: {
      'server.js': [
        "const { HealthCheckError } = require('@godaddy/terminus')\nconst { drainOnSignals } = require('lifesign/drain')\nconst { Health } = require('lifesign/express')\n",
        "const app = express()\nconst health = new Health(app, { probes: { live: ['/livez', '/live'], ready: ['/readyz', '/healthz'] } })\n",
        "  const server = http.createServer(app)\n  health.check('onHealthCheck', async () => {\n    await onHealthCheck({ state: { isShuttingDown: false } })\n  })\n",
        "    server,\n    delay: 5000,\n    timeout: 1000,\n    signals: ['SIGTERM'],\n    onShutdown: [async () => {\n      console.log('bye')\n    }, function onShutdown () {\n      console.log('gone')\n    }],\n  })\n  server.listen(3000)\n",
      ],
    },
    gone: ['createTerminus', 'const options', 'beforeShutdown'],
    notes: [
      'server.js:20: the body of the old path',
      'server.js:24: the logger is left out',
      'server.js:3 still uses @godaddy/terminus',
    ],
  },
  'terminus in a constant, in TypeScript, beside an application of another file': {
    from: 'godaddy-terminus',
    removes: '@godaddy/terminus',
    files: {
      'package.json': manifest(terminus, { scripts: { start: 'tsx src/index.ts' } }),
      'src/app.ts': `import express from "express";\n\nexport const getApp = async () => {\n\tconst app = express();\n\treturn app;\n};\n`,
      'src/index.ts': `import { createServer } from "node:http";\r\nimport { createTerminus } from "@godaddy/terminus";\r\nimport { getApp } from "./app";\r\n\r\nvoid getApp().then((app) => {\r\n\tconst stub = async (): Promise<void> => {};\r\n\tconst server = createTerminus(createServer(app), { healthChecks: { "/liveness": stub }, onSignal: async () => {} });\r\n\tserver.listen(8080);\r\n});\r\n`,
    },
    lines: {
      'src/index.ts': [
        'import { drainOnSignals } from "lifesign/drain";\r\nimport { Health } from "lifesign/node";\r\n',
        '\tconst server = createServer(app);\r\n\tconst health = new Health(server, { probes: { ready: ["/readyz", "/liveness"] } });\r\n\tdrainOnSignals(health, { server, onShutdown: [async () => {}] });\r\n\tserver.listen(8080);\r\n',
      ],
    },
    gone: ['terminus', 'stub'],
  },
  'terminus in a function that returns the server': {
    from: 'godaddy-terminus',
    removes: '@godaddy/terminus',
    files: {
      'package.json': manifest(terminus, esm),
      'server.js': `import http from 'http';\nimport express from 'express';\nimport cleanup from './cleanup.js';\n\nconst app = express();\ncleanup(http.createServer(app)).listen(3000);\n`,
      'cleanup.js': `import { createTerminus } from '@godaddy/terminus';\n\nfunction onSignal() {\n  console.log('cleanup');\n}\n\nconst stub = async () => Promise.resolve();\n\nexport default function cleanup(server) {\n  return createTerminus(server, { healthChecks: { '/live': stub }, timeout: 2000, onSignal });\n}\n`,
    },
    lines: {
      'cleanup.js': [
        "  const health = new Health(server, { probes: { ready: ['/readyz', '/live'] } });\n" +
          '  drainOnSignals(health, { server, timeout: 2000, onShutdown: [onSignal] });\n  return server;\n',
      ],
    },
    gone: ['terminus', 'stub'],
  },
  'indicators of @nestjs/terminus': {
    from: 'terminus',
    removes: '@nestjs/terminus',
    files: nestWithTerminus(
      `      async () => this.db.pingCheck('database', { timeout: 300 }),
      () => this.http.pingCheck('nestjs-docs', 'https://docs.nestjs.com'),
      () => this.disk.checkStorage('storage', { path: '/', thresholdPercent: 0.9 }),
      () => this.memory.checkHeap('memory_heap', 150 * 1024 * 1024),
      () => this.memory.checkRSS('memory_rss', 300 * 1024 * 1024),
      () => this.dog.isHealthy('dog'),`,
      '"',
    ),
    lines: {
      'src/app.module.ts': [
        'import { checks, HealthMiddleware, HealthModule as LifesignModule } from "lifesign/nestjs";\nimport { DogHealthIndicator } from "./health/dog.health";\n',
        `      HEALTH_CHECKS: {
        database: "lifesign/checks.checkDatabaseConnected",
        "nestjs-docs": checks.http("https://docs.nestjs.com"),
        storage: checks.disk({ path: "/", error: 0.9 }),
        memory_rss: checks.memory({ limit: 300 * 1024 * 1024, error: 1 }),
        dog: DogHealthIndicator,
      },
      HEALTH_CHECK_OPTIONS: { database: { timeout: 300 } },
    }),
    HealthModule,
`,
      ],
    },
    notes: [
      'src/health/health.controller.ts:12: HealthController still serves its route',
      'src/health/health.controller.ts:30: this check has no exact counterpart',
      'src/health/health.module.ts:2 still uses @nestjs/terminus',
    ],
  },
  ...nestControllers,
  'lightship in a worker': {
    from: 'lightship',
    removes: 'lightship',
    files: {
      'package.json': manifest({ ioredis: '^5.0.0', lightship: '^9.0.0' }, esm),
      'server.js': `import { createLightship } from "lightship";
import { Redis } from "ioredis";

const redis = new Redis();

const main = async () => {
  const lightship = await createLightship({ port: 8081, detectKubernetes: false, shutdownDelay: 100 });

  lightship.registerShutdownHandler(async () => {
    await redis.quit();
  });

  await redis.subscribe("mail");
  lightship.signalReady();
};

void main();
`,
    },
    lines: {
      'server.js': [
        'import { drainOnSignals, Health } from "lifesign/worker";\n',
        '  const health = new Health({\n    redis,\n    port: 8081,\n    probes: { live: ["/livez", "/live"], ready: ["/readyz", "/ready", "/health"], startWhen: "called" },\n  });\n',
        '  drainOnSignals(health, {\n    onShutdown: [async () => {\n      await redis.quit();\n    }],\n  });\n',
        '  health.started();\n',
      ],
    },
    gone: ['lightship'],
    notes: ['server.js:7: shutdownDelay is left out'],
  },
  'lightship beside a Koa application of another file, in a server without a name': {
    from: 'lightship',
    removes: 'lightship',
    files: {
      'package.json': manifest({ koa: '^3.0.0', lightship: '^9.0.0' }),
      'app.js': `const Koa = require('koa');\n\nmodule.exports = new Koa();\n`,
      'server.js': `const { createLightship } = require('lightship');\nconst Koa = require('koa');\n\n(async () => {\n  const lightship = await createLightship();\n  lightship.signalNotReady();\n  const app = new Koa();\n  app.listen(3000);\n  lightship.signalReady();\n})();\n`,
    },
    lines: {
      'server.js': [
        '  const app = new Koa();\n  const health = new Health(app, {\n    healthPort: Number(process.env.LIGHTSHIP_PORT ?? 9000),\n',
        '  const server = app.listen(3000);\n  drainOnSignals(health, { server });\n  health.started();\n',
      ],
    },
    gone: ["'lightship'", 'lightship.'],
  },
  'lightship with a port that is known where the application is created': {
    from: 'lightship',
    removes: 'lightship',
    files: lightshipOn('const settings = { health: 9001 };\nconst app = express();\n', 'settings.health'),
    lines: {
      'server.js': [
        'const app = express();\nconst health = new Health(app, {\n  healthPort: settings.health,\n',
      ],
    },
    gone: ["'lightship'", 'lightship.'],
  },
  'under-pressure without thresholds, in a factory': {
    from: 'under-pressure',
    removes: '@fastify/under-pressure',
    files: {
      'package.json': manifest({ '@fastify/under-pressure': '^9.0.0', fastify: '^5.0.0' }, esm),
      'server.js': `import Fastify from 'fastify'
import UnderPressure from '@fastify/under-pressure'

export const build = async (db) => {
  const server = Fastify({ logger: true })

  server.register(UnderPressure, {
    async healthCheck() {
      return db.isOpen
    },
    message: 'Later',
    exposeStatusRoute: { url: '/health', routeOpts: { logLevel: 'silent' } },
    healthCheckInterval: 5000
  })
  return server
}
`,
    },
    lines: {
      'server.js': [
        "import Fastify from 'fastify'\nimport { Health } from 'lifesign/fastify'\n",
        "  const health = new Health(server, { probes: { ready: ['/readyz', '/health'] } })\n",
        "  health.check('healthCheck', async () => {\n    if (!(await (async function healthCheck() {\n      return db.isOpen\n    })())) throw new Error('healthCheck failed')\n  })\n  return server\n",
      ],
    },
    gone: ['UnderPressure'],
  },
  'under-pressure in a chain, with a threshold': {
    from: 'under-pressure',
    removes: '@fastify/under-pressure',
    files: {
      'package.json': manifest({ '@fastify/under-pressure': '^9.0.0', fastify: '^5.0.0' }),
      'server.js': `const fastify = require('fastify')()\nfastify.register(require('./a')).register(require('@fastify/under-pressure'), { exposeStatusRoute: true, maxEventLoopDelay: 1000 })\nfastify.listen({ port: 3000 })\n`,
      'a.js': 'module.exports = async () => {}\n',
    },
    lines: {
      'server.js': [
        "new Health(fastify, { probes: { ready: ['/readyz', '/status'] } })\nfastify.register(require('./a')).register(require('@fastify/under-pressure'), { maxEventLoopDelay: 1000 })\n",
      ],
    },
    notes: ['server.js:5 still uses @fastify/under-pressure'],
  },
};

const terminusCall = (options: string, server = 'server'): Record<string, string> => ({
  'package.json': manifest({ '@godaddy/terminus': '^4.12.1' }, esm),
  'server.js': `import { createServer } from 'node:http';\nimport { createTerminus } from '@godaddy/terminus';\n\nconst server = createServer();\ncreateTerminus(${server}, ${options});\nserver.listen(3000);\n`,
});

export const leftAlone: Readonly<Record<string, Old & { readonly note: string }>> = {
  'a port that is declared after the application': {
    from: 'lightship',
    files: lightshipOn('const app = express();\nconst port = Number(app.get("port")) + 1;\n', 'port'),
    note: 'server.js:6: the port is not known where the application is created',
  },
  'headers of the response': {
    from: 'godaddy-terminus',
    files: terminusCall("{ headers: { 'X-Shop': '1' } }"),
    note: 'server.js:5: headers has no counterpart with this value',
  },
  'another status': {
    from: 'godaddy-terminus',
    files: terminusCall('{ statusError: 500 }'),
    note: 'server.js:5: statusError has no counterpart',
  },
  'options from elsewhere': {
    from: 'godaddy-terminus',
    files: terminusCall('{ ...common }'),
    note: 'server.js:5: the options of createTerminus are not written in the call',
  },
  'two paths with different checks': {
    from: 'godaddy-terminus',
    files: terminusCall("{ healthChecks: { '/a': () => check(1), '/b': () => check(2) } }"),
    note: 'server.js:5: several paths have different checks',
  },
  'a beforeShutdown that does more': {
    from: 'godaddy-terminus',
    files: terminusCall('{ beforeShutdown: () => leave() }'),
    note: 'server.js:5: beforeShutdown does more than wait',
  },
  'an event that is no signal': {
    from: 'godaddy-terminus',
    files: terminusCall("{ signals: ['SIGTERM', 'uncaughtException'] }"),
    note: 'server.js:5: signals has no counterpart',
  },
  'an indicator with an argument of the container': {
    from: 'terminus',
    files: nestWithTerminus("      () => this.http.pingCheck('docs', this.config.get('DOCS')),"),
    note: 'src/health/health.controller.ts:27: this check has no exact counterpart',
  },
  'a task of lightship': {
    from: 'lightship',
    files: {
      'package.json': manifest({ fastify: '^5.0.0', lightship: '^9.0.0' }, esm),
      'server.js': `import Fastify from 'fastify';\nimport { createLightship } from 'lightship';\n\nconst app = Fastify();\nconst lightship = await createLightship();\nlightship.queueBlockingTask(app.ready());\nawait app.listen({ port: 3000 });\n`,
    },
    note: 'server.js:6: lightship.queueBlockingTask is not replaced: await the task before the service is ready',
  },
  'a lightship that becomes not ready later': {
    from: 'lightship',
    files: {
      'package.json': manifest({ fastify: '^5.0.0', lightship: '^9.0.0' }, esm),
      'server.js': `import Fastify from 'fastify';\nimport { createLightship } from 'lightship';\n\nconst app = Fastify();\nconst lightship = await createLightship();\nawait app.listen({ port: 3000 });\nlightship.signalReady();\nprocess.on('SIGUSR2', () => lightship.signalNotReady());\n`,
    },
    note: 'server.js:8: lightship.signalNotReady is not replaced: write a check that fails meanwhile',
  },
  'a lightship that other files use': {
    from: 'lightship',
    files: {
      'package.json': manifest({ lightship: '^9.0.0' }, esm),
      'server.js':
        "import { createLightship } from 'lightship';\n\nexport const lightship = await createLightship();\n",
    },
    note: 'server.js:3: ',
  },
  'a handler that closes the server in its own way': {
    from: 'lightship',
    files: {
      'package.json': manifest({ express: '^5.0.0', lightship: '^9.0.0' }, esm),
      'server.js': `import express from 'express';\nimport { createLightship } from 'lightship';\n\nconst lightship = await createLightship();\nconst server = express().listen(3000);\nlightship.registerShutdownHandler(() => new Promise((done) => server.close(done)));\n`,
    },
    note: 'server.js:6: drainOnSignals closes server',
  },
  'under-pressure in a plugin': {
    from: 'under-pressure',
    files: {
      'package.json': manifest({ '@fastify/under-pressure': '^9.0.0', fastify: '^5.0.0' }, esm),
      'server.js': `import Fastify from 'fastify';\nimport pressure from './pressure.js';\n\nconst app = Fastify();\napp.register(pressure);\nawait app.listen({ port: 3000 });\n`,
      'pressure.js': `import underPressure from '@fastify/under-pressure';\n\nexport default async (fastify) => {\n  await fastify.register(underPressure, { exposeStatusRoute: true });\n};\n`,
    },
    note: 'pressure.js:4: it is not registered in the file that creates the Fastify application',
  },
};
