import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { type Node, endOf, startOf, statementAround, walk } from './syntax.js';
import { databases } from './unchecked.js';
import { freeName, importLine, importPlace, indentAt, lineBehind, styleOf } from './writing.js';

type ClassNode = Extract<Node, { type: 'ClassDeclaration' }>;

/** The class that is given to `NestFactory.create`, with the module that declares it. */
function rootModule(
  modules: Modules,
  { module, creation }: Application,
): { module: Module; node: ClassNode } | undefined {
  const [first] = creation.arguments;
  if (first?.type !== 'Identifier') return undefined;
  const origin = modules.origin(module, first.name) ?? { module, name: first.name };
  let found: ClassNode | undefined;
  walk(origin.module.tree.program, (node) => {
    if (node.type === 'ClassDeclaration' && node.id?.name === origin.name) found = node;
  });
  return found && { module: origin.module, node: found };
}

/** The object in `@Module({ … })`. */
function moduleOptions({ decorators }: ClassNode): Extract<Node, { type: 'ObjectExpression' }> | undefined {
  for (const { expression } of decorators ?? []) {
    if (
      expression.type !== 'CallExpression' ||
      expression.callee.type !== 'Identifier' ||
      expression.callee.name !== 'Module'
    )
      continue;
    const [first] = expression.arguments;
    if (first?.type === 'ObjectExpression') return first;
  }
  return undefined;
}

/** Service classes of Prisma: the container has no client that lifesign finds by itself. */
function prismaService(all: readonly Module[]): { module: Module; name: string } | undefined {
  for (const module of all) {
    for (const [exported, local] of module.exports) {
      if (exported !== local) continue;
      let isService = false;
      walk(module.tree.program, (node) => {
        if (
          node.type !== 'ClassDeclaration' ||
          node.id?.name !== local ||
          node.superClass?.type !== 'Identifier'
        )
          return;
        isService ||= node.superClass.name === 'PrismaClient';
      });
      if (isService) return { module, name: local };
    }
  }
  return undefined;
}

const integration =
  /^@nestjs\/(?:typeorm|sequelize)$|^@mikro-orm\/nestjs$|^nest\w*-(?:knex|prisma|drizzle|kysely)/;

/** The libraries of the databases that modules of NestJS provide, as far as their code shows: lifesign finds these in the container. */
export function databasesOfNest(
  all: readonly Module[],
  clients: readonly (Pick<Client, 'use' | 'library' | 'module'> & { readonly name?: string })[],
): readonly string[] {
  const isProvided = ({ module, name }: (typeof clients)[number]): boolean =>
    /\bprovide\s*:/.test(module.text) ||
    (name !== undefined &&
      all.some(({ text }) =>
        new RegExp(`\\buse(?:Value|Factory)\\s*:[^,}]*(?<![\\w$])${name}\\b`).test(text),
      ));
  const provided = clients.filter((client) => client.use === 'db' && isProvided(client));
  const integrated = all.some(
    ({ modules, text }) =>
      [...modules].some((name) => integration.test(name)) ||
      /\bextends\s+(?:PrismaClient|Kysely|DataSource|Sequelize)\b/.test(text),
  );
  return [...provided.map(({ library }) => library), ...(integrated ? databases : [])];
}

/** Imports HealthModule in the root module and applies its middleware. */
export function attachNest(
  plan: Plan,
  modules: Modules,
  application: Application,
  all: readonly Module[],
  hasDatabase: boolean,
): boolean {
  const root = rootModule(modules, application);
  const options = root && moduleOptions(root.node);
  if (root === undefined || options === undefined) {
    plan.note(
      'The root module of the NestJS application was not found: import HealthModule of lifesign/nestjs in it',
    );
    return false;
  }
  const { module, node } = root;
  const change = plan.of(module.path, module.text);
  const names = {
    HealthMiddleware: freeName(module, 'HealthMiddleware', 'LifesignMiddleware'),
    HealthModule: freeName(module, 'HealthModule', 'LifesignModule'),
  };
  const prisma = prismaService(all);
  const { quote } = styleOf(module);
  const settings = [
    'BASE_DIR: process.cwd()',
    `DEBUG: process.env[${quote}NODE_ENV${quote}] !== ${quote}production${quote}`,
    ...(prisma === undefined ? [] : [`db: ${prisma.name}`]),
    ...(hasDatabase ? [] : ['HEALTH_CHECKS: []']),
  ];
  addModule(change, module, options, `${names.HealthModule}.forRoot({ ${settings.join(', ')} })`);
  const consumerType = applyMiddleware(change, module, node, names.HealthMiddleware);
  const lines = [
    ...consumerType,
    importLine(styleOf(module), true, names, 'lifesign/nestjs'),
    ...importOf(module, prisma),
  ];
  const place = importPlace(module, startOf(node));
  const text = place.wrap(lines.join(styleOf(module).newline));
  change.insert(place.at, text, 'the entry of lifesign for NestJS');
  return true;
}

/** NestJS drains by its shutdown hooks. */
export function enableShutdown(plan: Plan, { module, creation, around, reference }: Application): void {
  const place = statementAround(creation, around);
  if (/\benableShutdownHooks\b/.test(module.text)) return;
  if (place === undefined || reference === undefined)
    return plan.note(
      `${module.name}: call enableShutdownHooks() of the application, and it drains on SIGTERM`,
    );
  const line = `${reference}.enableShutdownHooks()${styleOf(module).semicolon}`;
  const { at, text } = lineBehind(module, place.statement, line);
  plan.of(module.path, module.text).insert(at, text, 'requests in progress end before the process does');
}

/** Applies the middleware in `configure`, which it adds to a class without it. Returns the import of the type that this needs, if any. */
function applyMiddleware(
  change: ReturnType<Plan['of']>,
  module: Module,
  { body }: ClassNode,
  middleware: string,
): readonly string[] {
  const { quote, semicolon, newline } = styleOf(module);
  const reason = 'writes a summary of each request';
  const apply = (consumer: string): string =>
    `${consumer}.apply(${middleware}).forRoutes(${quote}{*path}${quote})${semicolon}`;
  const configure = body.body.find(
    (member) =>
      member.type === 'ClassMethod' && member.key.type === 'Identifier' && member.key.name === 'configure',
  );
  if (configure?.type === 'ClassMethod') {
    const [parameter] = configure.params;
    const indent = `${indentAt(module.text, startOf(configure))}  `;
    const consumer = parameter?.type === 'Identifier' ? parameter.name : 'consumer';
    change.insert(startOf(configure.body) + 1, `${newline}${indent}${apply(consumer)}`, reason);
    return [];
  }
  const isTypeScript = /\.[cm]?ts$/.test(module.path);
  const type = isTypeScript ? ': MiddlewareConsumer' : '';
  addMember(change, module, body, [`configure(consumer${type}) {`, `  ${apply('consumer')}`, '}'], reason);
  return isTypeScript && !module.taken.has('MiddlewareConsumer')
    ? [`import type { MiddlewareConsumer } from ${quote}@nestjs/common${quote}${semicolon}`]
    : [];
}

/** Adds a member after the others of a class. */
function addMember(
  change: ReturnType<Plan['of']>,
  module: Module,
  body: ClassNode['body'],
  lines: readonly string[],
  reason: string,
): void {
  const { text } = module;
  const { newline } = styleOf(module);
  const indent = `${indentAt(text, startOf(body))}  `;
  const isEmpty = body.body.length === 0;
  const member = lines.map((line) => indent + line).join(newline);
  const before =
    isEmpty && /^\s*$/.test(text.slice(startOf(body) + 1, endOf(body) - 1).replace(/[ \t]/g, ''))
      ? newline
      : newline + newline;
  const closing = isEmpty && !text.slice(startOf(body), endOf(body)).includes('\n');
  const at = isEmpty ? startOf(body) + 1 : endOf(body.body.at(-1) ?? body);
  change.insert(at, `${before}${member}${closing ? newline : ''}`, reason);
}

/** The import of the class that the settings name. */
function importOf(module: Module, prisma: ReturnType<typeof prismaService>): readonly string[] {
  if (prisma === undefined || module.imports.has(prisma.name) || prisma.module === module) return [];
  const { name } = prisma;
  return [importLine(styleOf(module), true, { [name]: name }, specifier(module, prisma.module))];
}

function specifier(module: Module, other: Module): string {
  const folder = module.path.replace(/[^/\\]*$/, '');
  const plain = other.path.startsWith(folder) ? `./${other.path.slice(folder.length)}` : other.path;
  const stem = plain.replaceAll('\\', '/').replace(/\.[cm]?ts$/, '');
  return [...module.uses.keys()].some((one) => one.endsWith('.js')) ? `${stem}.js` : stem;
}

/** First among the imports, so that its endpoints are there before those of the others. */
function addModule(
  change: ReturnType<Plan['of']>,
  module: Module,
  options: Extract<Node, { type: 'ObjectExpression' }>,
  text: string,
): void {
  const reason =
    'serves /__heartbeat__, /__lbheartbeat__ and /__version__, and checks the databases in the container';
  const { newline } = styleOf(module);
  const imports = options.properties.find(
    (property) =>
      property.type === 'ObjectProperty' &&
      property.key.type === 'Identifier' &&
      property.key.name === 'imports',
  );
  const list =
    imports?.type === 'ObjectProperty' && imports.value.type === 'ArrayExpression'
      ? imports.value
      : undefined;
  const placed = (at: Node): string => text.replaceAll('\n', newline + indentAt(module.text, startOf(at)));
  if (list !== undefined) {
    const [first] = list.elements;
    const isBroken =
      first !== undefined &&
      first !== null &&
      module.text.slice(startOf(list), startOf(first)).includes('\n');
    const between = isBroken ? `,${newline}${indentAt(module.text, startOf(first))}` : ', ';
    const at = first ? startOf(first) : startOf(list) + 1;
    change.insert(at, first ? placed(first) + between : placed(list), reason);
    return;
  }
  const [first] = options.properties;
  const isBroken = module.text.slice(startOf(options), endOf(options)).includes('\n');
  const indent = first ? indentAt(module.text, startOf(first)) : '';
  const at = first ? startOf(first) : startOf(options) + 1;
  change.insert(
    at,
    `imports: [${placed(first ?? options)}]${first ? (isBroken ? `,${newline}${indent}` : ', ') : ''}`,
    reason,
  );
}
