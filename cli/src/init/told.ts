// The exact lines that init leaves to you, and where they go.
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { importedAs } from './names.js';
import { runsInContainer } from './present.js';
import type { Project } from './project.js';
import { type Node, walk } from './syntax.js';

const again = 'then run init again';

/** The entry of a NestJS application: HealthModule in its root module, and its middleware. */
export function tellNest(
  plan: Plan,
  project: Project,
  modules: Modules,
  { module, creation, reference = 'app' }: Application,
  all: readonly Module[],
  hasDatabase: boolean,
): void {
  const [first] = creation.arguments;
  const root = first?.type === 'Identifier' ? modules.source(module, first.name)?.module : undefined;
  const prisma = all
    .map(({ text }) => /\bclass\s+([\w$]+)\s+extends\s+PrismaClient\b/.exec(text)?.[1])
    .find((name) => name !== undefined);
  const settings = [
    'BASE_DIR: process.cwd()',
    "DEBUG: process.env['NODE_ENV'] !== 'production'",
    ...(prisma === undefined ? [] : [`db: ${prisma}`]),
    ...(hasDatabase ? [] : ['HEALTH_CHECKS: []']),
  ];
  plan.note(
    `${root?.name ?? 'The root module'}: import { HealthMiddleware, HealthModule } from 'lifesign/nestjs', ` +
      `write HealthModule.forRoot({ ${settings.join(', ')} }) first in the imports of its @Module, ` +
      `and configure(consumer: MiddlewareConsumer) { consumer.apply(HealthMiddleware).forRoutes('{*path}'); } in the class; ${again}`,
  );
  if (runsInContainer(project) && !/\benableShutdownHooks\b/.test(module.text))
    plan.note(`${module.name}: write ${reference}.enableShutdownHooks(), and it drains on SIGTERM`);
}

/** Whether a module of NestJS provides a database, as far as the code shows: lifesign finds it in the container. */
export function providesDatabase(all: readonly Module[], clients: readonly Client[]): boolean {
  const integration =
    /^@nestjs\/(?:typeorm|sequelize)$|^@mikro-orm\/nestjs$|^nest\w*-(?:knex|prisma|drizzle|kysely)/;
  const extending = /\bextends\s+(?:PrismaClient|Kysely|DataSource|Sequelize)\b/;
  const isProvided = ({ use, module, name }: Client): boolean =>
    use === 'db' &&
    (/\bprovide\s*:/.test(module.text) ||
      all.some(({ text }) => new RegExp(`\\buse(?:Value|Factory)\\s*:[^,}]*\\b${name}\\b`).test(text)));
  return (
    clients.some(isProvided) ||
    all.some(({ modules, text }) => [...modules].some((one) => integration.test(one)) || extending.test(text))
  );
}

/** fastify-cli creates the application and hands it to a function. Returns its name there. */
export function tellHosted(plan: Plan, { name, text }: Module): string {
  const exported =
    /(?:module\.exports\s*=|export\s+default)\s*(?:async\s*)?(?:function\s*[\w$]*\s*)?\(?\s*([\w$]+)/;
  const application = exported.exec(text)?.[1] ?? 'fastify';
  plan.note(
    `${name}: write new Health(${application}); first in the function that it exports, with Health of lifesign/fastify; ${again}`,
  );
  return application;
}

/** Next.js has no file that creates the server: its start script loads lifesign/auto. */
export function tellNext(plan: Plan, { scripts }: Project): void {
  const start = scripts['start'] ?? '';
  const written = start
    .replace(
      /(^|&&|;|\s)(?:\S*\/)?next start(?=\s|$)/,
      '$1node --import lifesign/auto node_modules/next/dist/bin/next start',
    )
    .replace(/\bnode (?=(?:.* )?\S*\.next\/standalone\/server\.js)/, 'node --import lifesign/auto ');
  plan.note(
    written === start
      ? 'Next.js: add --import lifesign/auto to the node command that starts it, see docs/auto.md'
      : `package.json: write ${JSON.stringify(written)} as the script start; ${again}`,
  );
}

interface Worker {
  readonly module: Module;
  /** Undefined if later lines cannot refer to it. */
  readonly name: string | undefined;
  readonly line: number;
}

/** The workers of BullMQ that a module creates. */
export function workersIn(module: Module): Worker[] {
  const found: Worker[] = [];
  walk(module.tree.program, (node, around) => {
    const imported = node.type === 'NewExpression' ? importedAs(module, node.callee) : undefined;
    if (imported?.name !== 'Worker' || !['bullmq', 'bull'].includes(imported.from)) return;
    const parent: Node | undefined = around.at(-1);
    const name =
      parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier' ? parent.id.name : undefined;
    found.push({ module, name, line: node.loc?.start.line ?? 1 });
  });
  return found;
}

/** A process that only consumes queues: its endpoints, and a shutdown that loses no job. */
export function tellWorkers(plan: Plan, workers: readonly Worker[], clients: readonly Client[]): void {
  for (const { module, line } of workers.filter((worker) => worker.name === undefined))
    plan.note(
      `${module.name}:${line} creates a worker of BullMQ that later lines cannot refer to: give it a name, and write the two lines of docs/workers.md after it`,
    );
  const last = workers.findLast(({ name }) => name !== undefined);
  if (last === undefined) return;
  const { module } = last;
  const own = workers.flatMap((worker) => (worker.module === module && worker.name ? [worker.name] : []));
  const options = clients
    .filter((client) => client.module === module && client.name !== undefined && client.use !== 'mongo')
    .map(({ use, name }) => (use === name ? use : `${use}: ${name}`));
  const health = options.length === 0 ? 'new Health()' : `new Health({ ${options.join(', ')} })`;
  const stop = own.length === 1 ? own[0] : `[${own.join(', ')}]`;
  plan.note(
    `${module.name}: after the line that creates ${own.at(-1)}, write const health = ${health}; drainOnSignals(health, { stop: ${stop} }); ` +
      `with drainOnSignals and Health of lifesign/worker; ${again}`,
  );
  if (/\bprocess\s*\.\s*(?:on|once)\s*\(\s*['"]SIG(?:TERM|INT)/.test(module.text))
    plan.note(`${module.name} handles SIGTERM itself: drainOnSignals takes its place`);
}
