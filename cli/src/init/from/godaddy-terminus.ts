import { addImports, attach, names } from '../attach.js';
import { misfit } from '../frameworks.js';
import type { Module } from '../modules.js';
import { importedAs } from '../names.js';
import { healthLine, objectOf, reachable, serverMember } from '../options.js';
import { type Node, bare, endOf, startOf, statementAround, walk } from '../syntax.js';
import { freeName, importLine, styleOf, usesImport } from '../writing.js';
import { isFunction } from './functions.js';
import { type Checks, checksOf } from './godaddy-checks.js';
import { drainOf } from './godaddy-drain.js';
import { placed } from './lines.js';
import { type Migrate, type Old, optionsOf } from './migration.js';
import { dropImports, isUsed, removeStatement } from './old-imports.js';
import { callsIn, frameOf, type OldCall } from './old-call.js';
import { isVisible } from './places.js';

const creators = new Set(['createTerminus', 'terminus', 'default', '*']);

/** Replaces the call of createTerminus by Health, its checks and drainOnSignals. */
export const migrateGodaddyTerminus: Migrate = (old) => {
  const calls = old.users.flatMap((module) =>
    callsIn(module, ({ callee }) => {
      const imported = importedAs(module, callee);
      return imported !== undefined && old.packages.includes(imported.from) && creators.has(imported.name);
    }).map((call) => ({ module, call })),
  );
  const [first] = calls;
  if (first !== undefined && calls.length === 1) return migrateCall(old, first.module, first.call);
  for (const { module, call } of calls)
    old.leave(module, call.call, 'createTerminus is called several times');
  if (first === undefined)
    for (const module of old.users) old.leave(module, undefined, 'createTerminus is not called here');
  return false;
};

interface Given {
  readonly node: Node | undefined;
  /** The statement that only declares the options. */
  readonly declared: readonly Node[];
}

/** The object of options: in the call, or in a constant that nothing else uses. */
function given(module: Module, { call, statement }: OldCall): Given | undefined {
  const node = bare(call.arguments[1]);
  if (node === undefined || node.type === 'ObjectExpression') return { node, declared: [] };
  if (node.type !== 'Identifier') return undefined;
  const found: Given[] = [];
  walk(module.tree.program, (one, around) => {
    if (one.type !== 'VariableDeclarator' || one.id.type !== 'Identifier' || one.id.name !== node.name)
      return;
    const init = bare(one.init);
    const place = statementAround(one, around)?.statement;
    const isAlone = place?.type === 'VariableDeclaration' && place.declarations.length === 1;
    if (init?.type === 'ObjectExpression' && isAlone) found.push({ node: init, declared: [place] });
  });
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  return isUsed(module, node.name, [statement, ...only.declared]) ? undefined : only;
}

const quoted = (paths: readonly string[], quote: string): string =>
  `[${paths.map((path) => quote + path + quote).join(', ')}]`;

function probesOf({ live, ready }: Checks, quote: string): string[] {
  const members = [
    ...(live.length === 0 ? [] : [`live: ${quoted(['/livez', ...live], quote)}`]),
    ...(ready.length === 0 ? [] : [`ready: ${quoted(['/readyz', ...ready], quote)}`]),
  ];
  return members.length === 0 ? [] : [`probes: { ${members.join(', ')} }`];
}

/** All that the call says, if lifesign can do the same. */
interface Found {
  readonly frame: NonNullable<ReturnType<typeof frameOf>>;
  readonly options: Given;
  readonly checks: Checks;
  readonly drain: readonly string[];
  /** The application of the server, if it is one of a framework. */
  readonly own: Old['application'];
}

/** Says in a note why a call is left as it is. */
function readCall(old: Old, module: Module, call: OldCall): Found | undefined {
  const { project, application } = old;
  const style = styleOf(module);
  const leave = (what: string): undefined => {
    old.leave(module, call.call, what);
  };
  const frame = frameOf(module, call, freeName(module, 'server', 'httpServer'), style.semicolon);
  if (frame === undefined) return leave('createTerminus is called inside of another expression');
  const options = given(module, call);
  const members = options && optionsOf(options.node);
  if (options === undefined || members === undefined)
    return leave('the options of createTerminus are not written in the call');
  if (application?.framework === 'nestjs') return leave('a NestJS application imports HealthModule instead');
  const own =
    application?.module === module && application.framework !== 'node' && application.reference !== undefined
      ? application
      : undefined;
  if (own?.reference === frame.server)
    return leave('createTerminus gets the application instead of its server');
  const checks = checksOf(old, module, members.get('healthChecks'), style, call.indent);
  const drain = checks && drainOf(old, module, members, call.indent);
  if (checks === undefined || drain === undefined) return undefined;
  const wrong = own && misfit(project, own.framework);
  return wrong === undefined ? { frame, options, checks, drain, own } : leave(wrong);
}

function migrateCall(old: Old, module: Module, call: OldCall): boolean {
  const found = readCall(old, module, call);
  if (found === undefined) return false;
  const { frame, options, checks, drain, own } = found;
  const { plan, project } = old;
  const style = styleOf(module);
  const isOnApplication = own !== undefined && isVisible(own.around, call.around);
  const health = freeName(module, 'health', 'lifesign');
  const signals = freeName(module, 'drainOnSignals');
  const probes = probesOf(checks, style.quote);
  const handed = isOnApplication
    ? []
    : reachable(plan, old.modules, { module, around: call.around }, call.statement, old.clients);
  const lines = [
    ...frame.before,
    ...(isOnApplication
      ? []
      : [healthLine(module, frame.server, handed, names(module, handed), project.directory, true, probes)]),
    ...checks.list.map(
      ([name, run]) => `${health}.check(${style.quote}${name}${style.quote}, ${run})${style.semicolon}`,
    ),
    `${signals}(${[health, ...objectOf([serverMember(frame.server), ...drain])].join(', ')})${style.semicolon}`,
    ...frame.behind,
  ];
  const written = placed(lines, call.indent, style.newline);
  const change = plan.of(module.path, module.text);
  const removed = [call.statement, ...options.declared];
  for (const one of unusedFunctions(module, removed, written))
    removeStatement(change, module, one, 'nothing calls it any more');
  const instead = dropImports(change, module, old.packages, removed, written);
  for (const one of options.declared)
    removeStatement(change, module, one, 'the options are those of lifesign now');
  change.replace(
    startOf(call.statement),
    endOf(call.statement),
    written,
    'the same checks, paths and shutdown',
  );
  const more = {
    options: probes,
    isNamed: true,
    imports: [
      importLine(style, usesImport(module, project.isModule), { drainOnSignals: signals }, 'lifesign/drain'),
    ],
    ...(instead !== undefined && { instead }),
  };
  if (isOnApplication) return attach(plan, project, old.modules, own, old.clients, more);
  addImports(plan, project, module, 'node', handed, startOf(call.around[1] ?? call.statement), more);
  return true;
}

/** Functions that only the options used: compilers refuse unused ones. */
function unusedFunctions(module: Module, removed: readonly Node[], written: string): Node[] {
  const exported = new Set(module.exports.values());
  const statements: Node[] = [];
  walk(module.tree.program, (node, around) => {
    const type = around.at(-1)?.type;
    if (type === 'Program' || type === 'BlockStatement') statements.push(node);
  });
  return statements.filter((statement) => {
    const [only] = statement.type === 'VariableDeclaration' ? statement.declarations : [];
    const isOwn = statement.type === 'VariableDeclaration' && statement.declarations.length === 1;
    const id = statement.type === 'FunctionDeclaration' ? statement.id : isOwn ? only?.id : undefined;
    if (id?.type !== 'Identifier' || exported.has(id.name)) return false;
    if (statement.type !== 'FunctionDeclaration' && !isFunction(bare(only?.init) ?? undefined)) return false;
    const isMentioned = new RegExp(`(?<![\\w$.])${id.name.replaceAll('$', '\\$')}(?![\\w$])`).test(written);
    return (
      !isMentioned &&
      removed.some((one) => isUsedIn(one, id.name)) &&
      !isUsed(module, id.name, [...removed, statement])
    );
  });
}

function isUsedIn(node: Node, name: string): boolean {
  let found = false;
  walk(node, (one) => {
    found ||= one.type === 'Identifier' && one.name === name;
  });
  return found;
}
