// The exact lines that init leaves to you, and where they go.
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import { libraries } from './clients.js';
import { importedAs, type Module } from './modules.js';
import type { Project } from './project.js';
import { codeOf, isNode, walk } from './syntax.js';

const again = 'then run init again';

/** The entry of a NestJS application: HealthModule in its root module, and its middleware. */
export function writeNest(
  plan: Plan,
  { module, creation, reference = 'app' }: Application,
  all: readonly Module[],
  packages: ReadonlySet<string>,
  drains: boolean,
): void {
  const root =
    'arguments' in creation && Array.isArray(creation.arguments) ? creation.arguments[0] : undefined;
  const local = root && isNode(root) ? codeOf(module, root) : 'the root module';
  const home = module.uses.get(module.imports.get(local)?.from ?? '');
  const file = all.find(({ path }) => path === home)?.name ?? `The file of ${local}`;
  const prisma = all
    .map(({ text }) => /\bclass\s+([\w$]+)\s+extends\s+PrismaClient\b/.exec(text)?.[1])
    .find((name) => name !== undefined);
  const hasDatabase = [...packages].some((name) => libraries.get(name)?.use === 'db');
  const settings = [
    'BASE_DIR: process.cwd()',
    "DEBUG: process.env['NODE_ENV'] !== 'production'",
    ...(prisma === undefined ? [] : [`db: ${prisma}`]),
    ...(hasDatabase ? [] : ['HEALTH_CHECKS: []']),
  ];
  plan.note(
    `${file}: import { HealthMiddleware, HealthModule } from 'lifesign/nestjs', ` +
      `write HealthModule.forRoot({ ${settings.join(', ')} }) first in the imports of its @Module, ` +
      `and configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); } in the class; ${again}`,
  );
  if (drains && !/\benableShutdownHooks\b/.test(module.text))
    plan.note(`${module.name}: write ${reference}.enableShutdownHooks(), and it drains on SIGTERM`);
}

/** fastify-cli creates the application and hands it to a function. Returns its name there. */
export function writePlugin(plan: Plan, { name, text }: Module): string {
  const exported =
    /(?:module\.exports\s*=|export\s+default)\s*(?:async\s*)?(?:function\s*[\w$]*\s*)?\(?\s*([\w$]+)/;
  const application = exported.exec(text)?.[1] ?? 'fastify';
  plan.note(
    `${name}: write new Health(${application}); first in the function that it exports, with Health of lifesign/fastify; ${again}`,
  );
  return application;
}

/** Next.js has no file that creates the server: its start script loads lifesign/auto. */
export function writeNext(plan: Plan, { scripts }: Project): void {
  const start = scripts['start'] ?? 'next start';
  const next = /(?<=^|&&|;|\s)(?:\S*\/)?next start(?=\s|$)/;
  const standalone = /\bnode (?=(?:.* )?\S*\.next\/standalone\/server\.js)/;
  const written = start
    .replace(next, 'node --import lifesign/auto node_modules/next/dist/bin/next start')
    .replace(standalone, 'node --import lifesign/auto ');
  plan.note(
    written === start
      ? 'Next.js: add --import lifesign/auto to the node command that starts it, see docs/auto.md'
      : `package.json: write ${JSON.stringify(written)} as the script start; ${again}`,
  );
}

/** The last line of a module that creates a worker of BullMQ; undefined if none does. */
export function workerLine(module: Module): number | undefined {
  let last: number | undefined;
  walk(module.tree.program, (node) => {
    const imported = node.type === 'NewExpression' ? importedAs(module, node.callee) : undefined;
    if (imported?.name === 'Worker' && /^bull(?:mq)?$/.test(imported.from)) last = node.loc?.start.line ?? 1;
  });
  return last;
}

/** The endpoints of a process that only consumes queues, and a shutdown that loses no job. */
export function writeWorker(plan: Plan, module: Module): void {
  plan.note(
    `${module.name}:${workerLine(module)} creates a worker of BullMQ: give it a name, and after it write const health = new Health({ redis: connection }); ` +
      `drainOnSignals(health, { stop: worker }); with drainOnSignals and Health of lifesign/worker, and your names of the connection and the worker; ${again}`,
  );
  if (/\bprocess\s*\.\s*(?:on|once)\s*\(\s*['"]SIG(?:TERM|INT)/.test(module.text))
    plan.note(`${module.name} handles SIGTERM itself: drainOnSignals takes its place`);
}
