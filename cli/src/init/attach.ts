import type { Application } from './applications.js';
import type { Plan } from './changes.js';
import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { type Handed, healthLine, reachable } from './options.js';
import { runsInContainer } from './present.js';
import type { Project } from './project.js';
import { declarationOf } from './references.js';
import { type Node, endOf, startOf, statementAround } from './syntax.js';
import { freeName, importLine, importPlace, lineBehind, styleOf, usesImport } from './writing.js';

/** The position of the line that creates Health: after a statement of a block. */
interface Place {
  readonly block: Node;
  readonly statement: Node;
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
  const { reference, around, creation } = application;
  const start = statementAround(creation, around);
  if (start === undefined || reference === undefined || reference.startsWith('this.')) {
    const line = reference?.startsWith('this.')
      ? `write new Health(${reference}) first in its constructor`
      : 'give it a name, and write new Health(app) after it';
    plan.note(
      `${module.name} creates the ${framework} application in a way that later lines cannot refer to: ${line}, with Health of lifesign/${framework}`,
    );
    return false;
  }
  const place = behindClients(modules, module, start, clients);
  const handed = reachable(plan, modules, application, place.statement, clients);
  const line = healthLine(
    module,
    reference,
    handed,
    names(module, handed),
    project.directory,
    drainOf(project),
  );
  const change = plan.of(module.path, module.text);
  const { at, text } = lineBehind(module, place.statement, line);
  addImports(plan, project, module, framework, handed, startOf(topOf(application, place.statement)));
  change.insert(at, text, reasonFor(handed));
  return true;
}

/** The option that finishes the requests in progress before the process ends. */
const drainOf = (project: Project): string[] => (runsInContainer(project) ? ['drain: true'] : []);

const names = (module: Module, handed: readonly Handed[]): { health: string; checks: string } => ({
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

function addImports(
  plan: Plan,
  project: Project,
  module: Module,
  entry: string,
  handed: readonly Handed[],
  limit: number,
): void {
  const style = styleOf(module);
  const isImport = usesImport(module, project.isModule);
  const { health, checks } = names(module, handed);
  const mongo = handed.some(({ client }) => client.use === 'mongo') ? { checks } : {};
  const needed = { ...mongo, Health: health };
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
