/** The pages of docs/ for users, by what they want; a test compares the list with the folder. */
export const pages: readonly { readonly text: string; readonly pages: Readonly<Record<string, string>> }[] = [
  {
    text: 'Start',
    pages: { 'Get started': 'getting-started', Checks: 'checks', Troubleshooting: 'troubleshooting' },
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
      'Next.js, Nuxt, SvelteKit, React Router, Astro': 'auto-frameworks',
    },
  },
  {
    text: 'Guides',
    pages: {
      Deployment: 'deployment',
      'Kubernetes probes': 'probes',
      Logging: 'logging',
      Testing: 'testing',
      'Workers and brokers': 'workers',
      'Recipes for other libraries': 'recipes',
      'Health page': 'page',
      Watchdog: 'watchdog',
      Prometheus: 'metrics',
      OpenTelemetry: 'opentelemetry',
      Fleet: 'fleet',
      gRPC: 'grpc',
      'Checks on a schedule': 'schedule',
      'Keep-alive': 'keep-alive',
      'Static files': 'static-files',
    },
  },
  {
    text: 'Migrate',
    pages: {
      'From @godaddy/terminus': 'migrating-from-godaddy-terminus',
      'From @nestjs/terminus': 'migrating-from-nestjs-terminus',
      'From lightship': 'migrating-from-lightship',
      'From under-pressure': 'migrating-from-under-pressure',
    },
  },
  {
    text: 'Command',
    pages: {
      lifesign: 'cli',
      init: 'init',
      Pipelines: 'pipelines',
      'Rules of verify': 'verify',
      'Rules of doctor': 'doctor',
    },
  },
  {
    text: 'Reference',
    pages: {
      Options: 'options',
      'Message ids': 'messages',
      Errors: 'errors',
      Specification: 'specification',
      'Endpoints and decisions': 'contract',
      Glossary: 'glossary',
      API: 'api/',
      Reliability: 'reliability',
      Incidents: 'incidents',
      'What lifesign touches': 'what-lifesign-touches',
      'Support and upgrades': 'support',
      Security: 'security',
      Comparison: 'comparison',
    },
  },
];

/** Old addresses and where their pages are now. */
export const moved: Readonly<Record<string, string>> = {
  astro: 'auto-frameworks',
  'broker-messages': 'messages',
  nextjs: 'auto-frameworks',
  'nuxt-nitro': 'auto-frameworks',
  'react-router': 'auto-frameworks',
  sveltekit: 'auto-frameworks',
};
