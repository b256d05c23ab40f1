import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import { type Client, isBefore, mongooseIn, requireOf } from './clients.js';
import type { Module, Modules } from './modules.js';
import { isFunction } from './names.js';
import { runsInContainer } from './present.js';
import type { Project } from './project.js';
import { type Node, codeOf, startOf, statementAround } from './syntax.js';
import {
  freeName,
  importLine,
  importPlace,
  lineBehind,
  specifierFor,
  styleOf,
  usesImport,
} from './writing.js';

/** A client that Health gets, under the name that it has in the module of the application. */
interface Handed {
  readonly client: Client;
  readonly local: string;
  /** The import that it needs. */
  readonly importing?: { readonly name: string; readonly local: string; readonly from: string };
}

/** Adds the import and the line that creates Health after an application. Returns the clients that it cannot refer to; undefined if nothing was added. */
export function attach(
  plan: Plan,
  project: Project,
  modules: Modules,
  { module, framework, reference, around, creation }: Application,
  clients: readonly Client[],
): readonly Client[] | undefined {
  const start = statementAround(creation, around);
  if (start === undefined || reference === undefined || reference.startsWith('this.')) {
    const line = reference?.startsWith('this.')
      ? `write new Health(${reference}) first in its constructor`
      : 'give it a name, and write new Health(app) after it';
    plan.note(
      `${module.name} creates the ${framework} application in a way that later lines cannot refer to: ${line}, with Health of lifesign/${framework}`,
    );
    return undefined;
  }
  const statement = behindClients(modules, module, start.block, start.statement, clients);
  const isLater = around.some(isFunction);
  const handed: Handed[] = [];
  const left: Client[] = [];
  for (const client of clients) {
    const found =
      client.module === module
        ? ownClient(client, around, statement)
        : foreignClient(modules, module, client, isLater ? undefined : statement);
    if (found === undefined) left.push(client);
    else if (!handed.some(({ local }) => local === found.local)) handed.push(found);
  }
  const isMongo = handed.some(({ client }) => client.use === 'mongo');
  const names = {
    ...(isMongo && { checks: freeName(module, 'checks', 'healthChecks') }),
    Health: freeName(module, 'Health', 'LifesignHealth'),
  };
  const style = styleOf(module);
  const isImport = usesImport(module, project.isModule);
  const place = importPlace(module, startOf(around[1] ?? statement));
  const lines = [importLine(style, isImport, names, `lifesign/${framework}`)];
  for (const [from, taken] of importsOf(handed)) lines.push(importLine(style, isImport, taken, from));
  const change = plan.of(module.path, module.text);
  const title = framework === 'node' ? 'node:http' : framework;
  change.insert(place.at, place.wrap(lines.join(style.newline)), `the entry of lifesign for ${title}`);
  const line = lineBehind(module, statement, healthLines(module, reference, handed, names, project));
  const libraries = [...new Set(handed.map(({ client }) => client.library))].join(' and ');
  change.insert(
    line.at,
    line.text,
    `serves /__heartbeat__, /__lbheartbeat__ and /__version__ before every middleware${libraries && `, and checks ${libraries}`}`,
  );
  return left.filter(
    ({ library }) => library !== 'mongoose' || !handed.some(({ client }) => client.library === library),
  );
}

const begins = /\.\s*(?:listen|ready|inject)\s*\(|(?<![\w$.])serve\s*\(/;

/** The statement after which the line goes: clients that the same block declares later come before it, the start of the server after it. */
function behindClients(
  modules: Modules,
  module: Module,
  block: Node,
  start: Node,
  clients: readonly Client[],
): Node {
  if (!('body' in block) || !Array.isArray(block.body)) return start;
  const needed = new Set(clients.map((client) => declarationOf(modules, module, client)));
  const later: readonly Node[] = block.body.slice(block.body.findIndex((one) => one === start) + 1);
  const end = later.findIndex((one) => begins.test(codeOf(module, one)));
  return later.slice(0, end < 0 ? later.length : end).findLast((one) => needed.has(one)) ?? start;
}

/** The statement of a module that declares what a line needs for a client; imports are there before all lines. */
function declarationOf(modules: Modules, module: Module, client: Client): Node | undefined {
  if (client.module === module && client.library !== 'mongoose') return client.statement;
  const known = client.library === 'mongoose' ? mongooseIn(module) : knownAs(modules, module, client);
  return known === undefined ? undefined : requireOf(module, known.split('.')[0] ?? known);
}

/** A client of the same module: its block is around the line, and it was created before, or a function runs later. */
function ownClient(client: Client, around: readonly Node[], statement: Node): Handed | undefined {
  const { name, block } = client;
  if (client.library === 'mongoose') return mongoose(client.module, client);
  if (name === undefined || !around.includes(block)) return undefined;
  const isSameBlock = !around.slice(around.indexOf(block)).some(isFunction);
  return isSameBlock && !isBefore(client.statement, statement) ? undefined : { client, local: name };
}

/** A client of another module that the application's module knows, or can import: the application loads that one already. */
function foreignClient(
  modules: Modules,
  module: Module,
  client: Client,
  statement: Node | undefined,
): Handed | undefined {
  const declaration = declarationOf(modules, module, client);
  if (declaration !== undefined && statement !== undefined && !isBefore(declaration, statement))
    return undefined;
  // A module that the application does not load already may connect when it is loaded, in tests too.
  const isLoaded = modules.from(module.path).includes(client.module);
  if (client.library === 'mongoose') return isLoaded ? mongoose(module, client) : undefined;
  const local = knownAs(modules, module, client);
  if (local !== undefined) return { client, local };
  const [key] = client.keys;
  if (!isLoaded || modules.from(client.module.path).includes(module)) return undefined;
  // `require` of an ES module has its default export under another name.
  const isRequired = !usesImport(module, false) && !client.module.isCommonJs;
  if (key === undefined || key.includes('.') || (isRequired && key === 'default')) return undefined;
  const wanted = key === 'default' ? (client.name ?? client.use) : key;
  const free = freeName(module, wanted, `${wanted}Client`);
  const from = specifierFor(module, client.module.path);
  return { client, local: free, importing: { name: key, local: free, from } };
}

/** How a module that imports a client already refers to it. */
function knownAs(modules: Modules, module: Module, client: Client): string | undefined {
  for (const [local, { from, name }] of module.imports) {
    if (/\W/.test(local.replaceAll('$', ''))) continue;
    const source = modules.source(module, local);
    if (source?.module === client.module && client.keys.includes(source.key)) return local;
    if (module.uses.get(from) !== client.module.path || (name !== '*' && name !== 'default')) continue;
    // `db.pool`, of an import of the whole module or of an object that it exports.
    for (const key of client.keys) {
      const [first, member] = key.split('.');
      const isWhole = name === '*' || client.module.isCommonJs;
      if (isWhole && first !== 'default') return `${local}.${key}`;
      if (name === 'default' && first === 'default' && member !== undefined) return `${local}.${member}`;
    }
  }
  return undefined;
}

/** `mongoose.connect()` opens the connection that every model uses, wherever it is called. */
function mongoose(module: Module, client: Client): Handed {
  const known = mongooseIn(module);
  const local = known ?? freeName(module, 'mongoose');
  const importing = known === undefined ? { importing: { name: 'default', local, from: 'mongoose' } } : {};
  return { client, local: `${local}.connection`, ...importing };
}

/** The names to import from each file; a default import is a line of its own. */
function importsOf(handed: readonly Handed[]): [from: string, names: Record<string, string>][] {
  const found: [string, Record<string, string>][] = [];
  for (const { importing } of handed) {
    if (importing === undefined) continue;
    const { name, local, from } = importing;
    const known = found.find(([file, names]) => file === from && !('default' in names));
    if (known === undefined || name === 'default') found.push([from, { [name]: local }]);
    else known[1][name] = local;
  }
  return found;
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
  const folders = [
    ['prisma', 'prisma/migrations', './prisma/migrations'],
    ['drizzle-orm', 'drizzle/meta/_journal.json', './drizzle'],
    ['knex', 'migrations', undefined],
  ] as const;
  for (const [library, place, folder] of folders) {
    const local = handed.find(({ client }) => client.library === library)?.local;
    if (local === undefined || !existsSync(join(directory, place))) continue;
    return [
      folder === undefined
        ? pair('migrations', local)
        : `migrations: { ${pair('db', local)}, migrationsFolder: '${folder}' }`,
    ];
  }
  return [];
}

/** `new Health(app, { db: pool });` in the style of the module, and the checks of MongoDB. */
function healthLines(
  module: Module,
  reference: string,
  handed: readonly Handed[],
  names: { readonly Health: string; readonly checks?: string },
  project: Project,
): string {
  const { quote, semicolon } = styleOf(module);
  const of = (use: Client['use']): Handed[] => handed.filter(({ client }) => client.use === use);
  const options = [
    ...optionFor('db', of('db')),
    ...migrationsFor(project.directory, of('db')),
    ...optionFor('redis', of('redis')),
    ...(runsInContainer(project) ? ['drain: true'] : []),
  ].map((option) => option.replaceAll("'", quote));
  const short = options.length === 0 ? '' : `, { ${options.join(', ')} }`;
  const long = `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  const line = `new ${names.Health}(${reference}${short.length > 92 ? long : short})${semicolon}`;
  const mongo = of('mongo');
  if (mongo.length === 0) return line;
  const health = freeName(module, 'health', 'lifesign');
  const checks = mongo.map(({ local }, at) => {
    const name = at === 0 ? 'mongodb' : `mongodb_${at + 1}`;
    return `${health}.check(${quote}${name}${quote}, ${names.checks}.mongo(${local}))${semicolon}`;
  });
  return [`const ${health} = ${line}`, ...checks].join('\n');
}
