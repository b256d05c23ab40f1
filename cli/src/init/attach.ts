import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module } from './modules.js';
import type { Project } from './project.js';
import { pair } from './unchecked.js';
import { codeOf, endOf, isFunction, type Node, type Place, placeOf, startOf, walk } from './syntax.js';

/** A client under the name that it has in the module of the application. */
interface Handed {
  readonly client: Client;
  readonly local: string;
  /** The statement that declares the name; an import is there before every statement. */
  readonly declared?: Place | undefined;
}

/** Adds the import and the line that creates Health after an application. Returns the clients that it cannot refer to; undefined if nothing was added. */
export function attach(
  plan: Plan,
  project: Project,
  application: Application,
  clients: readonly Client[],
  drains: boolean,
): readonly Client[] | undefined {
  const { module, framework, reference, around, creation } = application;
  const start = placeOf(creation, around);
  const byHand = lineByHand(application, start);
  if (start === undefined || reference === undefined || byHand !== undefined) {
    plan.note(
      `${module.name} creates the ${framework} application ${byHand}, with Health of lifesign/${framework}`,
    );
    return undefined;
  }
  const known = clients.flatMap((client) => handedTo(module, client) ?? []);
  const statement = statementFor(module, start, known);
  const handed = known.filter(({ declared }) => {
    if (declared === undefined) return true;
    const depth = around.indexOf(declared.block);
    const isBefore = declared.statement === statement || endOf(declared.statement) <= startOf(statement);
    // In a function, what the code around it declares is there when it is called.
    return depth >= 0 && (isBefore || around.slice(depth).some(isFunction));
  });
  const { quote, semicolon, isImport } = styleOf(module, project.isModule);
  const as = isImport ? ' as' : ':';
  let isTaken = false;
  walk(module.tree.program, (node) => (isTaken ||= node.type === 'Identifier' && node.name === 'Health'));
  const [Health, taken] = isTaken
    ? ['LifesignHealth', `{ Health${as} LifesignHealth }`]
    : ['Health', '{ Health }'];
  const from = `${quote}lifesign/${framework}${quote}`;
  const rows = optionsFor(project, handed, drains).map((option) => option.replaceAll("'", quote));
  const short = rows.length === 0 ? '' : `, { ${rows.join(', ')} }`;
  const long = `, {\n${rows.map((row) => `  ${row},\n`).join('')}}`;
  const line = `new ${Health}(${reference}${short.length > 92 ? long : short})${semicolon}`;
  const change = plan.of(module.path, module.text);
  const place = importPlace(module, startOf(around[1] ?? statement));
  change.insert(
    place.at,
    place.wrap(
      isImport ? `import ${taken} from ${from}${semicolon}` : `const ${taken} = require(${from})${semicolon}`,
    ),
    `the entry of lifesign for ${framework === 'node' ? 'node:http' : framework}`,
  );
  const indent = /^[ \t]*/.exec(
    module.text.slice(module.text.lastIndexOf('\n', startOf(statement) - 1) + 1),
  )?.[0];
  const libraries = [...new Set(handed.map(({ client }) => client.library))].join(' and ');
  change.insert(
    after(module.text, statement),
    line
      .split('\n')
      .map((row) => `\n${indent}${row}`)
      .join(''),
    `serves /__heartbeat__, /__lbheartbeat__ and /__version__ before every middleware${libraries && `, and checks ${libraries}`}`,
  );
  return clients.filter((client) => !handed.some((one) => one.client === client));
}

/** What to write if no line after the creation can refer to the application; undefined if one can. */
function lineByHand({ reference, maker }: Application, start: Place | undefined): string | undefined {
  if (maker !== undefined && reference === undefined)
    return `as the result of ${maker.replace(/^.*#/, '')}(): write new Health(app) after the call that creates the one which serves requests`;
  if (reference === 'this')
    return 'as a class of its own: write new Health(this) after super() in its constructor';
  if (reference?.startsWith('this.') && start?.statement.type !== 'ExpressionStatement')
    return `in a way that later lines cannot refer to: write new Health(${reference}) first in its constructor`;
  return reference === undefined || reference === 'module.exports'
    ? 'in a way that later lines cannot refer to: give it a name, and write new Health(app) after it'
    : undefined;
}

const begins = /\.\s*(?:listen|ready|inject)\s*\(|(?<![\w$.])serve\s*\(/;

/** The statement after which the line goes: clients that the same block declares later come before it, the start of the server after it. */
function statementFor(module: Module, { block, statement }: Place, known: readonly Handed[]): Node {
  if (!('body' in block) || !Array.isArray(block.body)) return statement;
  const later: readonly Node[] = block.body.slice(block.body.findIndex((one) => one === statement) + 1);
  const end = later.findIndex((one) => begins.test(codeOf(module, one)));
  const declared = new Set(known.map((one) => one.declared?.statement));
  return later.slice(0, end < 0 ? later.length : end).findLast((one) => declared.has(one)) ?? statement;
}

/** How the module of the application refers to a client that is an option of Health: as its own, or as what it imports. */
function handedTo(module: Module, client: Client): Handed | undefined {
  const { name, use, place, isWhole } = client;
  if (use !== 'db' && use !== 'redis') return undefined;
  if (client.module === module)
    return name === undefined ? undefined : { client, local: name, declared: place };
  for (const [local, imported] of module.imports) {
    if (module.uses.get(imported.from) !== client.module.path) continue;
    const declared = imported.place;
    // Of two modules that fit, both have `module.exports`, or neither.
    const isDefault = imported.name === 'default' || (imported.name === '*' && isCommonJs(client.module));
    if (isWhole && isDefault) return { client, local, declared };
    if (name === undefined || isWhole || !isExported(client.module, name)) continue;
    if (imported.name === name) return { client, local, declared };
    if (imported.name === '*' || (isDefault && isCommonJs(client.module)))
      return { client, local: `${local}.${name}`, declared };
  }
  return undefined;
}

const isCommonJs = ({ text }: Module): boolean => /\bmodule\.exports\b|\bexports\.[\w$]+\s*=/.test(text);

/** Whether a module exports a variable under its own name. */
function isExported({ text }: Module, variable: string): boolean {
  const name = variable.replaceAll('$', '\\$');
  const forms = [
    `\\bexport\\s+(?:const|let|var)\\s+${name}\\b`,
    `\\bexports\\.${name}\\s*=\\s*${name}\\b`,
    // As Sequelize writes it: `db.sequelize = sequelize; module.exports = db;`
    `\\b([\\w$]+)\\.${name}\\s*=\\s*${name}\\b[^]*\\bexports\\s*=\\s*\\1\\b`,
    `\\b(?:export|exports\\s*=)\\s*\\{[^{}]*(?<=[{,]\\s*)${name}(?=\\s*[,}])`,
  ];
  return forms.some((form) => new RegExp(form).test(text));
}

/** Where libraries keep migrations by default, and the folder to name; Knex knows its own. */
const migrationFolders = [
  ['prisma', 'prisma/migrations', './prisma/migrations'],
  ['drizzle-orm', 'drizzle/meta/_journal.json', './drizzle'],
  ['knex', 'migrations', undefined],
] as const;

/** The options of Health. */
function optionsFor({ directory }: Project, handed: readonly Handed[], drains: boolean): string[] {
  const migrations = migrationFolders.flatMap(([library, place, folder]) => {
    const local = handed.find(({ client }) => client.library === library)?.local;
    if (local === undefined || !existsSync(join(directory, place))) return [];
    return folder === undefined
      ? pair('migrations', local)
      : `migrations: { ${pair('db', local)}, migrationsFolder: '${folder}' }`;
  });
  return [
    ...clientsOption('db', handed),
    ...migrations.slice(0, 1),
    ...clientsOption('redis', handed),
    ...(drains ? ['drain: true'] : []),
  ];
}

/** One client as it is; several by their names. */
function clientsOption(key: string, handed: readonly Handed[]): string[] {
  const locals = handed.filter(({ client }) => client.use === key).map(({ local }) => local);
  const [first, ...more] = locals;
  if (first === undefined) return [];
  if (more.length === 0) return [pair(key, first)];
  const short = locals.map((local) => local.replace(/^.*\./, ''));
  const names = new Set(short).size < short.length ? locals.map((local) => local.replace('.', '_')) : short;
  return [`${key}: { ${locals.map((local, at) => pair(names[at] ?? local, local)).join(', ')} }`];
}

/** How a module is written; it takes others by `import` if its code does, or else by its name and its package. */
function styleOf({ path, text, tree }: Module, isPackageOfModules: boolean) {
  const quotes = text.match(/(?<=(?:from|require\(|import)\s*)['"]/g) ?? [];
  const isModule =
    tree.program.body.some(({ type }) => /^(?:Import|Export)/.test(type)) ||
    /\.(?:[cm]?tsx?|mjs)$/.test(path);
  const isScript = path.endsWith('.cjs') || /\b(?:require\s*\(|module\.exports)/.test(text);
  return {
    quote: quotes.filter((quote) => quote === '"').length * 2 > quotes.length ? '"' : "'",
    semicolon: /;[ \t]*(?:\/\/.*)?\r?$/m.test(text) ? ';' : '',
    isImport: isModule || (!isScript && isPackageOfModules),
  };
}

/** The position after a statement, and after a comment that ends its line. */
function after(text: string, node: Node): number {
  // A semicolon at the start of the next line belongs to that line.
  const late = /\s*\n\s*;$/.exec(codeOf({ text }, node))?.[0] ?? '';
  const at = endOf(node) - late.length;
  const comment = /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)?(?=\r?\n|$)/;
  return at + (comment.exec(text.slice(at))?.[0].length ?? 0);
}

const isImportNode = ({ type }: Node): boolean =>
  /^(?:ImportDeclaration|TSImportEqualsDeclaration)$/.test(type);

/** Puts a line among the imports of a module: after the last one before `limit`. */
function importPlace(module: Module, limit: number): { at: number; wrap(line: string): string } {
  const { text, tree } = module;
  const { body, directives, interpreter } = tree.program;
  const isRequire = (node: Node): boolean =>
    node.type === 'VariableDeclaration' &&
    node.declarations.every(({ init }) => init && /^require\s*\(/.test(codeOf(module, init)));
  const last =
    body.findLast((node) => (isImportNode(node) || isRequire(node)) && endOf(node) <= limit) ??
    body.findLast(isImportNode);
  if (last !== undefined) return { at: after(text, last), wrap: (line) => `\n${line}` };
  const head = directives.at(-1) ?? interpreter;
  if (head) return { at: after(text, head), wrap: (line) => `\n\n${line}` };
  return { at: body[0] === undefined ? text.length : startOf(body[0]), wrap: (line) => `${line}\n\n` };
}
