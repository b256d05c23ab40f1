/** The pages of docs/ for users, by what they want; a test compares the list with the folder. */
export const pages: readonly { readonly text: string; readonly pages: Readonly<Record<string, string>> }[] = [
  {
    text: 'Start',
    pages: { 'Get started': 'getting-started', Troubleshooting: 'troubleshooting', Migrating: 'migrating' },
  },
  {
    text: 'Frameworks',
    pages: {
      'Express, Fastify, Koa, Hono, node:http, fetch': 'frameworks',
      NestJS: 'nestjs',
      AdonisJS: 'adonisjs',
      'No code: Next.js, Nuxt and others': 'auto',
      Workers: 'workers',
    },
  },
  {
    text: 'Guides',
    pages: {
      Checks: 'checks',
      'Kubernetes probes': 'probes',
      'Draining and keep-alive': 'draining',
      Deployment: 'deployment',
      Logging: 'logging',
      'Prometheus and OpenTelemetry': 'metrics',
      Watchdog: 'watchdog',
      'Health page': 'page',
      gRPC: 'grpc',
    },
  },
  {
    text: 'Command',
    pages: {
      lifesign: 'cli',
      init: 'init',
      fleet: 'fleet',
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
      Contract: 'contract',
      API: 'api/',
      Security: 'security',
      'What lifesign touches': 'what-lifesign-touches',
      'Support and upgrades': 'support',
    },
  },
  { text: 'Evidence', pages: { Incidents: 'incidents', Comparison: 'comparison' } },
];
