/** Every page of docs/, by what a reader wants; a test holds the list against the folder. */
export const pages: readonly { readonly text: string; readonly pages: Readonly<Record<string, string>> }[] = [
  {
    text: 'Start',
    pages: { 'Get started': 'getting-started', Checks: 'checks' },
  },
  {
    text: 'Frameworks',
    pages: {
      Express: 'express',
      Fastify: 'fastify',
      NestJS: 'nestjs',
      AdonisJS: 'adonisjs',
      Koa: 'koa',
      Hono: 'hono',
      'node:http': 'node',
      'fetch, Bun, Deno, edge workers': 'fetch',
      'Your own framework': 'own-framework',
      'No code: lifesign/auto': 'auto',
      'Next.js': 'nextjs',
      'Nuxt and Nitro': 'nuxt-nitro',
      SvelteKit: 'sveltekit',
      'React Router': 'react-router',
      Astro: 'astro',
    },
  },
  {
    text: 'Guides',
    pages: {
      Deployment: 'deployment',
      'Kubernetes probes': 'probes',
      Logging: 'logging',
      'Workers and brokers': 'workers',
      'Health page': 'page',
      Watchdog: 'watchdog',
      Prometheus: 'metrics',
      OpenTelemetry: 'opentelemetry',
      Fleet: 'fleet',
      'Error endpoint': 'error-endpoint',
      'Static files': 'static-files',
      'Large fleets': 'scale',
      'From @godaddy/terminus': 'migrating-from-godaddy-terminus',
      'From @nestjs/terminus': 'migrating-from-nestjs-terminus',
      'From lightship': 'migrating-from-lightship',
      'From under-pressure': 'migrating-from-under-pressure',
    },
  },
  {
    text: 'Command',
    pages: { lifesign: 'cli', 'Rules of verify': 'verify', 'Rules of doctor': 'doctor' },
  },
  {
    text: 'Reference',
    pages: {
      Options: 'options',
      'Message ids': 'messages',
      'Broker messages': 'broker-messages',
      Errors: 'errors',
      Specification: 'specification',
      'Endpoints and decisions': 'contract',
      Glossary: 'glossary',
      API: 'api/',
      Reliability: 'reliability',
      'What lifesign touches': 'what-lifesign-touches',
      Security: 'security',
      Performance: 'performance',
      Comparison: 'comparison',
      Dependencies: 'dependencies',
    },
  },
];

/** Old addresses and where their pages are now. */
export const moved: Readonly<Record<string, string>> = {};
