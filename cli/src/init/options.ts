import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { type Node, endOf, startOf } from './syntax.js';
import { freeName, mark, specifierFor, styleOf } from './writing.js';

/** A client that Health gets, under the name that it has in the module of the application. */
export interface Handed {
  readonly client: Client;
  readonly local: string;
  /** The imports that it needs. */
  readonly importing?: { readonly name: string; readonly local: string; readonly from: string };
}

/** The clients that a line after `statement` can refer to; the others are noted. */
export function reachable(
  plan: Plan,
  modules: Modules,
  application: Pick<Application, 'module' | 'around'>,
  statement: Node,
  clients: readonly Client[],
): Handed[] {
  const handed: Handed[] = [];
  const loaded = new Set(modules.from(application.module.path).map(({ path }) => path));
  for (const client of clients) {
    if (
      client.isInner ||
      handed.some((one) => one.client.module === client.module && one.client.name === client.name)
    )
      continue;
    // Every module that imports mongoose has the same connection.
    if (client.library === 'mongoose' && handed.some((one) => one.client.library === 'mongoose')) continue;
    const found =
      client.module === application.module
        ? ownClient(application, statement, client)
        : foreignClient(modules, application.module, client, loaded);
    if (found !== undefined) handed.push(found);
    else {
      plan.note(
        `${client.module.name} creates ${client.name} (${client.library}), which ${application.module.name} cannot refer to: ` +
          `pass it to Health yourself, ${howToPass(client)}`,
      );
    }
  }
  return handed;
}

const howToPass = ({ use, name }: Client): string =>
  use === 'mongo' ? `health.check('mongodb', checks.mongo(${name}))` : `{ ${use}: ${name} }`;

function ownClient(
  { around, module }: Pick<Application, 'module' | 'around'>,
  statement: Node,
  client: Client,
): Handed | undefined {
  const isOuter =
    client.block === module.tree.program && !around.some(({ type }) => /Function|Method/.test(type));
  const isVisible = around.includes(client.block);
  // Code of the file itself runs in order; a function runs after it.
  if (!isVisible) return undefined;
  const sameBlock =
    isOuter ||
    around.findLast((node) => node.type === 'BlockStatement' || node.type === 'Program') === client.block;
  if (sameBlock && endOf(client.statement) > Math.max(endOf(statement), startOf(statement))) return undefined;
  return { client, local: client.name };
}

function foreignClient(
  modules: Modules,
  module: Module,
  client: Client,
  loaded: ReadonlySet<string>,
): Handed | undefined {
  if (client.library === 'mongoose') return mongoose(module, client, loaded);
  if (client.block !== client.module.tree.program) return undefined;
  for (const local of module.imports.keys()) {
    const origin = modules.origin(module, local);
    if (origin?.module === client.module && origin.name === client.name) return { client, local };
  }
  const exported = [...client.module.exports].find(([, local]) => local === client.name)?.[0];
  // A module that the application does not load already may connect when it is loaded, in tests too.
  if (exported === undefined || !loaded.has(client.module.path)) return undefined;
  if (modules.from(client.module.path).some(({ path }) => path === module.path)) return undefined;
  const local = freeName(module, client.name, `${client.name}Client`);
  const from = specifierFor(module, client.module.path);
  return { client, local, importing: { name: exported, local, from } };
}

function mongoose(module: Module, client: Client, loaded: ReadonlySet<string>): Handed | undefined {
  if (!loaded.has(client.module.path)) return undefined;
  const known = [...module.imports].find(
    ([, { from, name }]) => from === 'mongoose' && (name === 'default' || name === '*'),
  )?.[0];
  const local = known ?? freeName(module, 'mongoose');
  const importing = known === undefined ? { importing: { name: 'default', local, from: 'mongoose' } } : {};
  return { client, local: `${local}.connection`, ...importing };
}

const pair = (key: string, value: string): string => (key === value ? key : `${key}: ${value}`);

/** One client as it is; several by their names. */
function optionFor(key: string, handed: readonly Handed[]): string[] {
  const [first] = handed;
  if (first === undefined) return [];
  if (handed.length === 1) return [pair(key, first.local)];
  return [`${key}: { ${handed.map(({ local }) => local).join(', ')} }`];
}

/** Migrations in the default folder of their library. */
function migrationsFor(directory: string, handed: readonly Handed[]): string[] {
  const prisma = handed.find(({ client }) => client.library === 'prisma');
  if (prisma !== undefined && existsSync(join(directory, 'prisma/migrations'))) {
    return [`migrations: { ${pair('db', prisma.local)}, migrationsFolder: './prisma/migrations' }`];
  }
  const drizzle = handed.find(({ client }) => client.library === 'drizzle-orm');
  if (drizzle !== undefined && existsSync(join(directory, 'drizzle/meta/_journal.json'))) {
    return [`migrations: { ${pair('db', drizzle.local)}, migrationsFolder: './drizzle' }`];
  }
  const knex = handed.find(({ client }) => client.library === 'knex');
  if (knex !== undefined && existsSync(join(directory, 'migrations')))
    return [pair('migrations', knex.local)];
  return [];
}

/** An object in one line, or in several if it is long; nothing without members. */
export function objectOf(members: readonly string[]): string[] {
  if (members.length === 0) return [];
  const line = `{ ${members.join(', ')} }`;
  if (line.length <= 90 && !line.includes('\n') && !line.includes(mark)) return [line];
  return [['{', ...members.map((member) => `  ${member},`), '}'].join('\n')];
}

/** The server among the options of drainOnSignals. */
export const serverMember = (name: string) => (name === 'server' ? name : `server: ${name}`);

/** `new Health(app, { db: pool });` in the style of the module. */
export function healthLine(
  module: Module,
  target: string | undefined,
  handed: readonly Handed[],
  names: { readonly health: string; readonly checks: string },
  directory: string,
  isNamed = false,
  more: readonly string[] = [],
): string {
  const { quote, semicolon } = styleOf(module);
  const of = (use: Client['use']): Handed[] => handed.filter(({ client }) => client.use === use);
  const options = [
    ...optionFor('db', of('db')),
    ...migrationsFor(directory, of('db')),
    ...optionFor('redis', of('redis')),
  ].map((option) => option.replaceAll("'", quote));
  const args = [...(target === undefined ? [] : [target]), ...objectOf([...options, ...more])];
  const creation = `new ${names.health}(${args.join(', ')})${semicolon}`;
  const mongo = of('mongo');
  if (mongo.length === 0 && !isNamed) return creation;
  const health = freeName(module, 'health', 'lifesign');
  const checks = mongo.map(({ local }, at) => {
    const name = at === 0 ? 'mongodb' : `mongodb_${at + 1}`;
    return `${health}.check(${quote}${name}${quote}, ${names.checks}.mongo(${local}))${semicolon}`;
  });
  return [`const ${health} = ${creation}`, ...checks].join('\n');
}
