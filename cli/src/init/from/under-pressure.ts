import { attach } from '../attach.js';
import { misfit } from '../frameworks.js';
import type { Module } from '../modules.js';
import { importedAs } from '../names.js';
import { type Node, bare, endOf, startOf, stringOf } from '../syntax.js';
import { freeName, mark, type Style, styleOf } from '../writing.js';
import { functionOf, isFunction, returnsOf, textOf } from './functions.js';
import { moved, placed } from './lines.js';
import { type Migrate, type Old, type Option, optionsOf } from './migration.js';
import { callsIn, type OldCall } from './old-call.js';
import { dropImports, removeStatement } from './old-imports.js';
import { isVisible } from './places.js';
import { removeMembers } from './remove-members.js';

/** Gives lifesign the status route and the check; the thresholds that turn requests away stay. */
export const migrateUnderPressure: Migrate = (old) => {
  const found = old.users.flatMap((module) =>
    callsIn(module, ({ callee, arguments: [plugin] }) => {
      const isRegister =
        callee.type === 'MemberExpression' &&
        callee.property.type === 'Identifier' &&
        callee.property.name === 'register';
      const imported = isRegister && plugin !== undefined ? importedAs(module, plugin) : undefined;
      return imported !== undefined && old.packages.includes(imported.from);
    }).map((call) => ({ module, call })),
  );
  const [first] = found;
  if (first !== undefined && found.length === 1) return migrateRegister(old, first.module, first.call);
  for (const { module, call } of found) old.leave(module, call.call, 'it is registered several times');
  if (first === undefined)
    for (const module of old.users) old.leave(module, undefined, 'it is not registered by its name here');
  return false;
};

/** The object on which a chain of `register` begins. */
function rootOf(node: Node): Node {
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression')
    return rootOf(node.callee.object);
  return node;
}

function migrateRegister(old: Old, module: Module, register: OldCall): boolean {
  const { application, plan, project } = old;
  const { call, statement } = register;
  const leave = (what: string): boolean => {
    old.leave(module, call, what);
    return false;
  };
  const isOwn =
    application?.framework === 'fastify' &&
    application.module === module &&
    textOf(module, rootOf(call)) === application.reference &&
    isVisible(application.around, register.around);
  if (!isOwn) return leave('it is not registered in the file that creates the Fastify application');
  const wrong = misfit(project, 'fastify');
  if (wrong !== undefined) return leave(wrong);
  const node = bare(call.arguments[1]);
  const options = optionsOf(node);
  if (options === undefined) return leave('its options are not written in the call');
  const path = pathOf(options.get('exposeStatusRoute'));
  if (path === 'unknown') return leave('the path of the status route is not written in the call');
  const style = styleOf(module);
  const check = options.get('healthCheck');
  const run = check && runOf(module, check.value, application.reference ?? 'app', style, register.indent);
  if (check !== undefined && run === undefined) return leave('healthCheck uses this');

  const probes =
    path === undefined ? [] : [`probes: { ready: ['/readyz', '${path}'] }`.replaceAll("'", style.quote)];
  const health = freeName(module, 'health', 'lifesign');
  const { quote, semicolon, newline } = style;
  const name = check?.value.type === 'Identifier' ? check.value.name : 'healthCheck';
  const lines = run === undefined ? [] : [`${health}.check(${quote}${name}${quote}, ${run})${semicolon}`];
  const text = placed(lines, register.indent, newline);
  const change = plan.of(module.path, module.text);
  const isKept = [...options.keys()].some((option) => option.startsWith('max'));
  const goes = ['exposeStatusRoute', 'healthCheck', 'healthCheckInterval'];
  let instead: Node | undefined;
  const reason = 'the status route and the check are those of lifesign';
  if (isKept) {
    if (node?.type === 'ObjectExpression') removeMembers(change, module, node, goes, reason);
    if (text !== '') change.insert(startOf(statement), text + newline + register.indent, reason);
  } else {
    instead = dropImports(change, module, old.packages, [statement], text);
    removeRegister(old, module, register, text, reason);
  }
  if (check === undefined && path === undefined)
    old.leave(module, call, 'it only turns requests away here, which lifesign does not do: both run');
  const more = {
    options: probes,
    imports: [],
    isNamed: lines.length > 0,
    ...(instead !== undefined && { instead }),
  };
  return attach(plan, project, old.modules, application, old.clients, more);
}

/** Without thresholds nothing is left for it to do. */
function removeRegister(
  old: Old,
  module: Module,
  { call, statement }: OldCall,
  text: string,
  reason: string,
): void {
  const change = old.plan.of(module.path, module.text);
  const isWhole = statement.type === 'ExpressionStatement' && bare(statement.expression) === call;
  const inner = call.callee.type === 'MemberExpression' ? call.callee.object : call.callee;
  if (isWhole && rootOf(call) === inner) {
    if (text === '') removeStatement(change, module, statement, reason);
    else change.replace(startOf(statement), endOf(statement), text, reason);
    return;
  }
  change.remove(endOf(inner), endOf(call), reason);
  const { newline } = styleOf(module);
  if (text !== '') change.insert(startOf(statement), text + newline, reason);
}

/** The path of the status route; undefined if there is none. */
function pathOf(option: Option | undefined): string | undefined {
  const value = bare(option?.value);
  if (value === undefined || (value.type === 'BooleanLiteral' && !value.value)) return undefined;
  if (value.type === 'BooleanLiteral') return '/status';
  const members = value.type === 'ObjectExpression' ? optionsOf(value) : undefined;
  const url = members === undefined ? value : members.get('url')?.value;
  const path = members !== undefined && url === undefined ? '/status' : stringOf(url);
  return path !== undefined && /^\/[\w./-]*[\w-]$/.test(path) ? path : 'unknown';
}

/** The function as a check: false was a failure, any other value none. */
function runOf(
  module: Module,
  value: Node,
  app: string,
  { semicolon, quote }: Style,
  indent: string,
): string | undefined {
  const inline = bare(value);
  const run = functionOf(module, value);
  const text = moved(module, value, indent);
  if (isFunction(inline) && /\bthis\b/.test(text)) return undefined;
  if (isFunction(inline) && inline.params.length === 0 && inline.body.type === 'BlockStatement') {
    const returned = returnsOf(inline);
    const last = inline.body.body.at(-1);
    const isTrue = returned.length === 1 && returned[0]?.type === 'BooleanLiteral' && returned[0].value;
    // `return true` at the end says that nothing was thrown.
    if (isTrue && last?.type === 'ReturnStatement' && last.argument === returned[0])
      return text.replace(new RegExp(`[\\s${mark}]*return true;?(?=[\\s${mark}]*\\}$)`), '');
  }
  const called = isFunction(inline) ? `(${moved(module, value, `${indent}  `)})` : textOf(module, value);
  const argument = run?.params.length === 0 ? '' : app;
  const line = `if (!(await ${called}(${argument}))) throw new Error(${quote}healthCheck failed${quote})${semicolon}`;
  return `async () => {\n  ${line}\n}`;
}
