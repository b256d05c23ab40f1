import type { Imported } from './names.js';
import { majorOf, type Project } from './project.js';

/** A framework that lifesign has an entry for. */
export type Framework = 'express' | 'fastify' | 'hono' | 'koa' | 'nestjs' | 'node';

interface Known {
  readonly framework: Framework;
  /** Modules and the names in them that create an application. */
  readonly from: readonly string[];
  readonly names: readonly string[];
}

const creators: readonly Known[] = [
  { framework: 'express', from: ['express'], names: ['default', '*'] },
  { framework: 'fastify', from: ['fastify'], names: ['default', '*', 'fastify'] },
  { framework: 'koa', from: ['koa'], names: ['default', '*'] },
  { framework: 'hono', from: ['hono', 'hono/quick', 'hono/tiny'], names: ['Hono'] },
  { framework: 'hono', from: ['@hono/zod-openapi'], names: ['OpenAPIHono'] },
  { framework: 'nestjs', from: ['@nestjs/core'], names: ['NestFactory'] },
  {
    framework: 'node',
    from: ['http', 'node:http', 'https', 'node:https', 'http2', 'node:http2'],
    names: ['createServer', 'createSecureServer'],
  },
];

export const frameworkOf = ({ from, name }: Imported): Framework | undefined =>
  creators.find((known) => known.from.includes(from) && known.names.includes(name))?.framework;

/** The first and last major version that the entry is tested with, of the package that says so. */
const majors: Partial<Record<Framework, readonly [name: string, first: number, last: number]>> = {
  express: ['express', 4, 5],
  fastify: ['fastify', 5, 5],
  koa: ['koa', 2, 3],
  hono: ['hono', 4, 4],
  nestjs: ['@nestjs/core', 11, 12],
};

/** Why the entry of a framework does not fit the project's version of it; undefined if it does. */
export function misfit(project: Project, framework: Framework): string | undefined {
  const [name, first, last] = majors[framework] ?? [];
  if (name === undefined || first === undefined || last === undefined) return undefined;
  const major = majorOf(project, name);
  if (major === undefined || (major >= first && major <= last)) return undefined;
  const versions = first === last ? `${first}` : `${first} to ${last}`;
  return `lifesign/${framework} is for ${name} ${versions}, and this project has ${major}`;
}

/** Frameworks without an entry: `--import lifesign/auto` serves them. */
export const others =
  /^(?:restify|polka|@hapi\/hapi|micro|h3|nitropack|nuxt|astro|@sveltejs\/kit|@remix-run\/node|@react-router\/node|@feathersjs\/feathers|sails|loopback|meteor-node-stubs)$/;

/** The names of the frameworks as people write them. */
export const titles: Readonly<Record<Framework, string>> = {
  express: 'Express',
  fastify: 'Fastify',
  hono: 'Hono',
  koa: 'Koa',
  nestjs: 'NestJS',
  node: 'node:http',
};
