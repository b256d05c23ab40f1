import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client, Clients } from './clients.js';
import type { Module, Modules } from './modules.js';
import { type Node, endOf, startOf } from './syntax.js';
import { declarationOf, imported, knownAs, mongooseIn } from './references.js';
import { freeName, styleOf } from './writing.js';

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
  const left: Client[] = [];
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
        : foreignClient(modules, application.module, client, loaded, isThereFor(application, statement));
    if (found === undefined) left.push(client);
    else if (!handed.some(({ local }) => local === found.local)) handed.push(found);
  }
  for (const client of left) {
    // Another module that imports mongoose has passed its connection.
    if (client.library === 'mongoose' && handed.some((one) => one.client.library === 'mongoose')) continue;
    plan.note(
      `${client.module.name} creates ${client.name} (${client.library}), which ${application.module.name} cannot refer to: ` +
        `pass it to Health yourself, ${howToPass(client)}`,
    );
  }
  return handed;
}

/** Names clients that no line can refer to. */
export function noteHidden(plan: Plan, hidden: Clients['hidden']): void {
  for (const { use, library, module, line } of hidden)
    plan.note(
      `${module.name}:${line} creates a client of ${library} that other lines cannot refer to: ` +
        `pass it to Health yourself, ${howToPass({ use, name: 'client' })}`,
    );
}

/** Whether a declaration of the file has run at a statement: functions run later, the lines of the file in order. */
const isThereFor =
  ({ around }: Pick<Application, 'around'>, statement: Node) =>
  (declaration: Node | undefined): boolean =>
    declaration === undefined ||
    around.some(({ type }) => /Function|Method/.test(type)) ||
    endOf(declaration) <= endOf(statement);

const howToPass = ({ use, name }: Pick<Client, 'use' | 'name'>): string =>
  use === 'mongo' ? `health.check('mongodb', checks.mongo(${name}))` : `{ ${use}: ${name} }`;

function ownClient(
  { around, module }: Pick<Application, 'module' | 'around'>,
  statement: Node,
  client: Client,
): Handed | undefined {
  // An export without a name: the module itself cannot refer to it.
  if (client.key !== undefined) return undefined;
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
  isThere: (declaration: Node | undefined) => boolean,
): Handed | undefined {
  if (!isThere(declarationOf(modules, module, client))) return undefined;
  if (client.library === 'mongoose') return mongoose(module, client, loaded);
  if (client.block !== client.module.tree.program) return undefined;
  const known = knownAs(modules, module, client);
  if (known !== undefined) return { client, local: known };
  // A module that the application does not load already may connect when it is loaded, in tests too.
  if (!loaded.has(client.module.path)) return undefined;
  if (modules.from(client.module.path).some(({ path }) => path === module.path)) return undefined;
  return imported(module, client);
}

function mongoose(module: Module, client: Client, loaded: ReadonlySet<string>): Handed | undefined {
  if (!loaded.has(client.module.path)) return undefined;
  const known = mongooseIn(module);
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
  const members = new Map<string, string>();
  for (const { local } of handed) {
    const name = local.split('.').at(-1) ?? local;
    members.set(members.has(name) ? `${name}${members.size + 1}` : name, local);
  }
  return [`${key}: { ${[...members].map(([name, local]) => pair(name, local)).join(', ')} }`];
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
function objectOf(members: readonly string[]): string[] {
  if (members.length === 0) return [];
  const line = `{ ${members.join(', ')} }`;
  if (line.length <= 90) return [line];
  return [['{', ...members.map((member) => `  ${member},`), '}'].join('\n')];
}

/** `new Health(app, { db: pool });` in the style of the module. */
export function healthLine(
  module: Module,
  target: string,
  handed: readonly Handed[],
  names: { readonly health: string; readonly checks: string },
  directory: string,
  more: readonly string[] = [],
): string {
  const { quote, semicolon } = styleOf(module);
  const of = (use: Client['use']): Handed[] => handed.filter(({ client }) => client.use === use);
  const options = [
    ...optionFor('db', of('db')),
    ...migrationsFor(directory, of('db')),
    ...optionFor('redis', of('redis')),
  ].map((option) => option.replaceAll("'", quote));
  const args = [target, ...objectOf([...options, ...more])];
  const creation = `new ${names.health}(${args.join(', ')})${semicolon}`;
  const mongo = of('mongo');
  if (mongo.length === 0) return creation;
  const health = freeName(module, 'health', 'lifesign');
  const checks = mongo.map(({ local }, at) => {
    const name = at === 0 ? 'mongodb' : `mongodb_${at + 1}`;
    return `${health}.check(${quote}${name}${quote}, ${names.checks}.mongo(${local}))${semicolon}`;
  });
  return [`const ${health} = ${creation}`, ...checks].join('\n');
}
