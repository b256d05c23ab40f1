import { type Imported, importedAs, type Module, type Modules } from './modules.js';
import { majorOf, type Project } from './project.js';
import { type Creation, memberOf, type Node, referenceTo, walk } from './syntax.js';

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
  express: { title: 'Express', from: ['express'], names: ['default', '*'], majors: ['express', 4, 5] },
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
  readonly creation: Creation;
  /** The nodes around the creation, the nearest last. */
  readonly around: readonly Node[];
  /** How later statements refer to it; undefined if they cannot. */
  readonly reference: string | undefined;
}

function applicationsIn(module: Module): Application[] {
  const found: Application[] = [];
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const nest = nestFactory(module, node);
    const imported = nest ?? importedAs(module, node.callee);
    const framework = imported && frameworkOf(imported);
    const isClass = framework === 'koa' || framework === 'hono';
    if (framework === undefined || isClass !== (node.type === 'NewExpression')) return;
    if (framework === 'nestjs' && nest === undefined) return;
    found.push({ framework, module, creation: node, around, reference: referenceTo(module, node, around) });
  });
  return found;
}

/** `NestFactory.create(AppModule)`; a microservice and an application context serve no HTTP. */
function nestFactory(module: Module, { callee }: Creation): Imported | undefined {
  const { object, name } = memberOf(callee) ?? {};
  const imported = object?.type === 'Identifier' ? module.imports.get(object.name) : undefined;
  return imported?.name === 'NestFactory' && name === 'create' ? imported : undefined;
}

/** Applications that are mounted into another one, as `file#name`, or as the files that create them. */
function mountedIn(modules: Modules, all: readonly Module[]): Set<string> {
  const mounted = new Set<string>();
  for (const module of all) {
    walk(module.tree.program, (node) => {
      const called = node.type === 'CallExpression' ? memberOf(node.callee)?.name : undefined;
      if (node.type !== 'CallExpression' || !/^(?:use|route|mount|register|all)$/.test(called ?? '')) return;
      for (const argument of node.arguments) {
        if (argument.type !== 'Identifier') continue;
        mounted.add(`${module.path}#${argument.name}`);
        const from = module.uses.get(module.imports.get(argument.name)?.from ?? '');
        const below = from === undefined ? [] : modules.from(from);
        // A router that imports the application itself is not above it.
        if (!below.includes(module)) for (const { path } of below) mounted.add(path);
      }
    });
  }
  return mounted;
}

/** The applications that may serve the requests; more than one if that is not clear. */
export function servedAmong(modules: Modules, all: readonly Module[]): Application[] {
  const mounted = mountedIn(modules, all);
  const every = all
    .flatMap(applicationsIn)
    .filter(
      ({ module, reference = '' }) =>
        !mounted.has(module.path) && !mounted.has(`${module.path}#${reference}`),
    );
  // A server of Node around the application of a framework is not a second one.
  const applications = every.filter(({ framework }) => framework !== 'node');
  return applications.length > 0 ? applications : every;
}
