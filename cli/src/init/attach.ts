import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { type Handed, healthLine, objectOf, reachable } from './options.js';
import { runsInContainer } from './present.js';
import type { Project } from './project.js';
import { declarationOf } from './references.js';
import { type Node, endOf, startOf, statementAround } from './syntax.js';
import { freeName, importLine, importPlace, indentAt, lineBehind, styleOf, usesImport } from './writing.js';

/** The position of the line that creates Health: after a statement of a block, or first in a constructor. */
interface Place {
  readonly block: Node;
  readonly statement: Node;
}

function constructorPlace({ around }: Application): Place | undefined {
  const property = around.findLastIndex(({ type }) => type === 'ClassProperty');
  const body = around[property - 1];
  if (property < 0 || body?.type !== 'ClassBody') return undefined;
  const constructor = body.body.find(
    (member) => member.type === 'ClassMethod' && member.kind === 'constructor',
  );
  const [first] = constructor?.type === 'ClassMethod' ? constructor.body.body : [];
  // Behind the first statement: in a derived class that is the call of `super`.
  return constructor?.type === 'ClassMethod' && first !== undefined
    ? { block: constructor.body, statement: first }
    : undefined;
}

function placeOf(application: Application): Place | undefined {
  const { around, creation } = application;
  if (around.some(({ type }) => type === 'ClassProperty')) return constructorPlace(application);
  return statementAround(creation, around);
}

const begins = /\.\s*(?:listen|ready|inject)\s*\(|(?<![\w$.])serve\s*\(/;

/** Moves the place after clients that the same block declares later, but never after the start of the server. */
function behindClients(modules: Modules, module: Module, place: Place, clients: readonly Client[]): Place {
  const { block } = place;
  if (!('body' in block) || !Array.isArray(block.body)) return place;
  const needed = new Set(clients.map((client) => declarationOf(modules, module, client)));
  let found = place;
  let hasPassed = false;
  for (const statement of block.body) {
    if (hasPassed && begins.test(module.text.slice(startOf(statement), endOf(statement)))) break;
    if (hasPassed && needed.has(statement)) found = { block, statement };
    if (statement === place.statement) hasPassed = true;
  }
  return found;
}

/** Adds the import and the line that creates Health after an application. */
export function attach(
  plan: Plan,
  project: Project,
  modules: Modules,
  application: Application,
  clients: readonly Client[],
): boolean {
  const { module, framework } = application;
  if (framework === 'node' && application.reference === undefined)
    return attachInline(plan, project, application);
  const start = placeOf(application);
  if (start === undefined || application.reference === undefined) {
    plan.note(
      `${module.name} creates the ${framework} application in a way that later lines cannot refer to: give it a name, and write new Health(app) behind it`,
    );
    return false;
  }
  const place = behindClients(modules, module, start, clients);
  const handed = reachable(plan, modules, application, place.statement, clients);
  const line = healthLine(
    module,
    application.reference,
    handed,
    names(module, handed),
    project.directory,
    false,
    drainOf(project),
  );
  const change = plan.of(module.path, module.text);
  const { at, text } = lineBehind(module, place.statement, line);
  addImports(plan, project, module, framework, handed, startOf(topOf(application, place.statement)));
  change.insert(at, text, reasonFor(handed));
  return true;
}

/** The option that finishes the requests in progress before the process ends. */
export const drainOf = (project: Project): string[] => (runsInContainer(project) ? ['drain: true'] : []);

export const names = (module: Module, handed: readonly Handed[]): { health: string; checks: string } => ({
  health: freeName(module, 'Health', 'LifesignHealth'),
  checks: handed.some(({ client }) => client.use === 'mongo')
    ? freeName(module, 'checks', 'healthChecks')
    : 'checks',
});

function reasonFor(handed: readonly Handed[]): string {
  const checked = handed.map(({ client }) => client.library);
  const clients = checked.length === 0 ? '' : `, and checks ${[...new Set(checked)].join(' and ')}`;
  return `serves /__heartbeat__, /__lbheartbeat__ and /__version__ before every middleware${clients}`;
}

/** The statement of the file that an inner one is part of. */
const topOf = ({ around }: Application, statement: Node): Node => around[1] ?? statement;

export function addImports(
  plan: Plan,
  project: Project,
  module: Module,
  entry: string,
  handed: readonly Handed[],
  limit: number,
  more: Readonly<Record<string, string>> = {},
): void {
  const style = styleOf(module);
  const isImport = usesImport(module, project.isModule);
  const { health, checks } = names(module, handed);
  const mongo = handed.some(({ client }) => client.use === 'mongo') ? { checks } : {};
  const needed = { ...mongo, ...more, Health: health };
  const place = importPlace(module, limit);
  const lines = [importLine(style, isImport, needed, `lifesign/${entry}`)];
  const files = new Map<string, Record<string, string>>();
  for (const { importing } of handed) {
    if (importing === undefined) continue;
    const { name, local, from } = importing;
    // A default import is a line of its own.
    if (name === 'default') lines.push(importLine(style, isImport, { default: local }, from));
    else files.set(from, { ...files.get(from), [name]: local });
  }
  for (const [from, taken] of files) lines.push(importLine(style, isImport, taken, from));
  const reason = `the entry of lifesign for ${entry === 'node' ? 'node:http' : entry}`;
  plan.of(module.path, module.text).insert(place.at, place.wrap(lines.join(style.newline)), reason);
}

/** `createServer(handler).listen(3000)` gets a name for its server. */
function attachInline(plan: Plan, project: Project, application: Application): boolean {
  const { module, creation, around } = application;
  const place = statementAround(creation, around);
  if (place?.statement.type !== 'ExpressionStatement' || startOf(place.statement) !== startOf(creation)) {
    plan.note(
      `${module.name} creates its server inside of another expression: give it a name, and write new Health(server) behind it`,
    );
    return false;
  }
  const { newline, semicolon } = styleOf(module);
  const indent = indentAt(module.text, startOf(creation));
  const server = freeName(module, 'server', 'httpServer');
  const change = plan.of(module.path, module.text);
  addImports(plan, project, module, 'node', [], startOf(topOf(application, place.statement)));
  const reason = reasonFor([]);
  const { health } = names(module, []);
  change.insert(startOf(creation), `const ${server} = `, reason);
  change.insert(
    endOf(creation),
    `${semicolon}${newline}${indent}new ${health}(${[server, ...objectOf(drainOf(project))].join(', ')})${semicolon}${newline}${indent}${server}`,
    reason,
  );
  return true;
}
