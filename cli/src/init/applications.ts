import { type Imported, importedAs, type Module, requiredIn } from './modules.js';
import { majorOf, type Project } from './project.js';
import {
  codeOf,
  type Creation,
  isFunction,
  isNode,
  isWhole,
  memberOf,
  nameOf,
  type Node,
  referenceTo,
  walk,
} from './syntax.js';

/** A framework that lifesign has an entry for. */
export type Framework = 'express' | 'fastify' | 'hono' | 'koa' | 'nestjs' | 'node';

interface Known {
  /** As people write it. */
  readonly title: string;
  readonly from: readonly string[];
  /** The names in these modules that create an application. */
  readonly names: readonly string[];
  /** The package with its version, and the first and last major that the entry is tested with. */
  readonly majors?: readonly [name: string, first: number, last: number];
}

const http = ['http', 'https', 'http2'];

export const frameworks: Readonly<Record<Framework, Known>> = {
  express: {
    title: 'Express',
    from: ['express', 'routing-controllers'],
    names: ['default', '*', 'createExpressServer'],
    majors: ['express', 4, 5],
  },
  fastify: {
    title: 'Fastify',
    from: ['fastify'],
    names: ['default', '*', 'fastify'],
    majors: ['fastify', 5, 5],
  },
  koa: { title: 'Koa', from: ['koa'], names: ['default', '*'], majors: ['koa', 2, 3] },
  hono: {
    title: 'Hono',
    from: ['hono', 'hono/quick', 'hono/tiny', '@hono/zod-openapi'],
    names: ['Hono', 'OpenAPIHono'],
    majors: ['hono', 4, 4],
  },
  nestjs: {
    title: 'NestJS',
    from: ['@nestjs/core'],
    names: ['NestFactory'],
    majors: ['@nestjs/core', 11, 12],
  },
  node: {
    title: 'node:http',
    from: [...http, ...http.map((name) => `node:${name}`)],
    names: ['createServer', 'createSecureServer'],
  },
};

const frameworkOf = (imported: Imported): Framework | undefined =>
  (['express', 'fastify', 'koa', 'hono', 'nestjs', 'node'] as const).find((framework) => {
    const { from, names } = frameworks[framework];
    return from.includes(imported.from) && names.includes(imported.name);
  });

/** Why the entry of a framework does not fit the project's version of it; undefined if it does. */
export function misfit(project: Project, framework: Framework): string | undefined {
  const [name, first, last] = frameworks[framework].majors ?? [];
  if (name === undefined || first === undefined || last === undefined) return undefined;
  const major = majorOf(project, name);
  if (major === undefined || (major >= first && major <= last)) return undefined;
  const versions = first === last ? `${first}` : `${first} to ${last}`;
  return `lifesign/${framework} is for ${name} ${versions}, and this project has ${major}`;
}

/** An application that a module creates. */
export interface Application {
  readonly framework: Framework;
  readonly module: Module;
  readonly creation: Node;
  /** The nodes around the creation, the nearest last. */
  readonly around: readonly Node[];
  /** How later statements refer to it; undefined if they cannot. */
  readonly reference: string | undefined;
  /** The function that returns it, as `file#name`: who calls it creates the application. */
  readonly maker: string | undefined;
  /** The function whose call this is. */
  readonly made: string | undefined;
}

/** Functions that return a new application. */
type Makers = ReadonlyMap<string, Framework>;

function applicationsIn(module: Module, makers: Makers): Application[] {
  const found: Application[] = [];
  const add = (
    framework: Framework,
    creation: Node,
    around: readonly Node[],
    reference?: string,
    made?: string,
  ): void =>
    void found.push({
      framework,
      module,
      creation,
      around,
      reference,
      maker: makerOf(module, around, reference),
      made,
    });
  walk(module.tree.program, (node, around) => {
    // `class App extends Koa`
    const above = /^Class(?:Declaration|Expression)$/.test(node.type) && 'superClass' in node;
    const parent = above && isNode(node.superClass) ? importedAs(module, node.superClass) : undefined;
    const extended = parent && frameworkOf(parent);
    if (extended === 'koa' || extended === 'hono') add(extended, node, around, 'this');
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const nest = nestFactory(module, node);
    const imported = nest ?? importedAs(module, node.callee);
    const home = node.callee.type === 'Identifier' ? homeOf(module, node.callee.name) : '';
    const made = makers.get(home);
    const framework = made ?? (imported && frameworkOf(imported));
    const isClass = framework === 'koa' || framework === 'hono';
    if (framework === undefined || (made === undefined && isClass !== (node.type === 'NewExpression')))
      return;
    if (made === undefined && framework === 'nestjs' && nest === undefined) return;
    add(framework, node, around, referenceTo(module, node, around, isChained), made && home);
  });
  return found;
}

/** Methods of an application that return it. */
const isChained =
  /^(?:on|withTypeProvider|basePath|disable|enable|engine|set|use|get|post|put|patch|delete|all|param|register|decorate|addHook)$/;

/** `default` for a function that its module exports as a whole. */
const exportOf = (module: Module, name: string): string => (isWhole(module, name) ? 'default' : name);

/** Where a name of a module comes from, as `file#name`; empty for another package. */
function homeOf(module: Module, local: string): string {
  const { imports, uses, path } = module;
  const imported = imports.get(local);
  if (imported === undefined) return `${path}#${exportOf(module, local)}`;
  const file = uses.get(imported.from);
  return file === undefined ? '' : `${file}#${imported.name === '*' ? 'default' : imported.name}`;
}

/** The function whose result a new value is: `function createApp() { return new Hono(); }`, also by its name. */
function makerOf(module: Module, around: readonly Node[], reference?: string): string | undefined {
  const { path } = module;
  const depth = around.findLastIndex(isFunction);
  const [maker, inside] = [around[depth], around[depth + 1]];
  if (maker === undefined) return undefined;
  let isResult = around.at(-1)?.type === 'ReturnStatement' || inside === undefined;
  walk(maker, (node) => {
    if (node.type === 'ReturnStatement' && node.argument && reference !== undefined)
      isResult ||= codeOf(module, node.argument) === reference;
  });
  if (!isResult) return undefined;
  const declared = around[depth - 1];
  const id = declared?.type === 'VariableDeclarator' ? declared.id : 'id' in maker ? maker.id : undefined;
  const isDefault =
    declared?.type === 'ExportDefaultDeclaration' ||
    (declared?.type === 'AssignmentExpression' && codeOf(module, declared.left) === 'module.exports');
  if (isDefault) return `${path}#default`;
  return id?.type === 'Identifier' ? `${path}#${exportOf(module, id.name)}` : undefined;
}

/** `NestFactory.create(AppModule)`; a microservice and an application context serve no HTTP. */
function nestFactory(module: Module, { callee }: Creation): Imported | undefined {
  const { object, name } = memberOf(callee) ?? {};
  const imported = object?.type === 'Identifier' ? module.imports.get(object.name) : undefined;
  return imported?.name === 'NestFactory' && name === 'create' ? imported : undefined;
}

/** Applications that are mounted into another one, as `file#name`, or as the files that create them. */
function mountedIn(all: readonly Module[]): Set<string> {
  const mounted = new Set<string>();
  for (const module of all) {
    walk(module.tree.program, (node) => {
      const called = node.type === 'CallExpression' ? memberOf(node.callee) : undefined;
      if (node.type !== 'CallExpression' || !/^(?:use|route|mount|register|all)$/.test(called?.name ?? ''))
        return;
      const own = called && nameOf(called.object);
      // Also `app.use(mount('/api', api))`; in `app.use(session(app))` nothing is mounted.
      for (const argument of node.arguments)
        walk(argument, (part) => {
          const local = part.type === 'Identifier' ? part.name : undefined;
          const from = local === undefined ? requiredIn(part)?.from : module.imports.get(local)?.from;
          const file = module.uses.get(from ?? '');
          if (file !== undefined) mounted.add(file);
          else if (local !== undefined && local !== own) mounted.add(`${module.path}#${local}`);
        });
    });
  }
  return mounted;
}

/** The applications that may serve the requests; more than one if that is not clear. */
export function servedAmong(all: readonly Module[]): Application[] {
  const makers = new Map<string, Framework>();
  let found: Application[] = [];
  // A function that returns what such a function returns is one, too.
  for (let known = -1; known < makers.size;) {
    known = makers.size;
    found = all.flatMap((module) => applicationsIn(module, makers));
    for (const { maker, framework } of found) if (maker !== undefined) makers.set(maker, framework);
  }
  const mounted = mountedIn(all);
  const isMounted = ({ module, reference = '' }: Application): boolean =>
    mounted.has(module.path) || mounted.has(`${module.path}#${reference}`);
  // Of a function that names what it returns, and is called once, Health goes into the function.
  const isInside = ({ maker, reference }: Application): boolean => {
    const calls = found.filter(({ made }) => made === maker);
    return reference !== undefined && (calls.length === 0 || (calls.length === 1 && !calls.some(isMounted)));
  };
  const insides = new Set(
    found.flatMap((one) => (one.maker !== undefined && isInside(one) ? one.maker : [])),
  );
  // Each of these leaves out applications of a kind, unless there are no others.
  return [
    ({ maker, made = '' }: Application) => !insides.has(made) && (maker === undefined || insides.has(maker)),
    (one: Application) => !isMounted(one),
    // A server of Node around the application of a framework is not a second one.
    ({ framework }: Application) => framework !== 'node',
    // A router in one chain has no name of its own.
    ({ reference }: Application) => reference !== undefined,
  ].reduce((left, isLikely) => {
    const likely = left.filter(isLikely);
    return likely.length > 0 ? likely : left;
  }, found);
}
