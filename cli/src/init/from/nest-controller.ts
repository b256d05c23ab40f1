import { filesIn } from '../present.js';
import type { Module } from '../modules.js';
import { readText } from '../files.js';
import { type Node, bare, stringOf, walk } from '../syntax.js';
import type { Old } from './migration.js';
import { dropImports, removeStatement } from './old-imports.js';
import { removeItems } from './remove-members.js';

type Call = Extract<Node, { type: 'CallExpression' }>;
type ClassNode = Extract<Node, { type: 'ClassDeclaration' }>;
type Decorators = ClassNode['decorators'];
type ListProperty = Extract<Node, { type: 'ObjectProperty' }>;

/** Decorators that document a route, or exempt it from something. */
const harmless = /^(?:HealthCheck|Api[A-Z]\w*|Public|SkipThrottle)$/;

/** The string that a decorator has, '' for none; undefined if it has something else, or others are beside it. */
function pathIn(decorators: Decorators, name: string): string | undefined {
  let path: string | undefined;
  for (const { expression } of decorators ?? []) {
    const call = expression.type === 'CallExpression' ? expression : undefined;
    if (call?.callee.type !== 'Identifier') return undefined;
    if (call.callee.name === name) {
      const [first] = call.arguments;
      path = first === undefined ? '' : stringOf(first);
      if (path === undefined || call.arguments.length > 1) return undefined;
    } else if (!harmless.test(call.callee.name)) return undefined;
  }
  return path;
}

/** The path of a controller that does nothing but this check; undefined if it does more. */
function pathOf(module: Module, node: ClassNode, call: Call): string | undefined {
  const isOnly = module.tree.program.body.every(
    (one) =>
      (one.type === 'ImportDeclaration' && one.specifiers.length > 0) ||
      (one.type === 'ExportNamedDeclaration' && one.declaration === node),
  );
  const methods = node.body.body.filter(
    (member) => member.type !== 'ClassMethod' || member.kind !== 'constructor' || member.body.body.length > 0,
  );
  const [method] = methods;
  if (!isOnly || node.superClass || methods.length !== 1 || method?.type !== 'ClassMethod') return undefined;
  const [statement] = method.body.body;
  if (method.body.body.length !== 1 || statement?.type !== 'ReturnStatement') return undefined;
  const parts = [pathIn(node.decorators, 'Controller'), pathIn(method.decorators, 'Get')];
  if (bare(statement.argument) !== call || method.params.length > 0 || parts.includes(undefined))
    return undefined;
  const path = parts
    .flatMap((part) => part?.split('/') ?? [])
    .filter((part) => part !== '')
    .join('/');
  return /^[\w./-]+$/.test(path) ? `/${path}` : undefined;
}

/** Lists of `@Module()` by their names. */
function listsIn(module: Module): ListProperty[] {
  const found: ListProperty[] = [];
  walk(module.tree.program, (node, around) => {
    const call = around.at(-2);
    const isModule = call?.type === 'CallExpression' && around.at(-3)?.type === 'Decorator';
    if (isModule && node.type === 'ObjectProperty' && node.value.type === 'ArrayExpression') found.push(node);
  });
  return found;
}

const isNamed = (node: Node | null, name: string): boolean =>
  node?.type === 'Identifier' && node.name === name;

/** Removes a name from a list of a module, with its import. */
function takeOut(old: Old, module: Module, list: string, name: string, reason: string): boolean {
  const property = listsIn(module).find(
    ({ key, value }) =>
      isNamed(key, list) &&
      value.type === 'ArrayExpression' &&
      value.elements.some((one) => isNamed(one, name)),
  );
  const from = module.imports.get(name)?.from;
  if (property?.value.type !== 'ArrayExpression' || from === undefined) return false;
  const change = old.plan.of(module.path, module.text);
  const elements = property.value.elements.filter((one) => one !== null);
  removeItems<Node>(change, module, elements, (one) => isNamed(one, name), reason);
  const emptied = dropImports(change, module, [from], [property], '');
  if (emptied !== undefined) removeStatement(change, module, emptied, reason);
  return true;
}

/** Files other than these that name the class or its file. */
function otherUse(old: Old, name: string, { path }: Module, known: readonly string[]): string | undefined {
  const stem = /([^/\\]+)\.\w+$/.exec(path)?.[1] ?? name;
  const named = new RegExp(`\\b${name}\\b|['"\`/]${stem.replaceAll('.', '\\.')}(?:\\.js)?['"\`]`);
  const other = [...filesIn(old.project.directory)].find(
    (file) => /\.[cm]?[jt]sx?$/.test(file) && !known.includes(file) && named.test(readText(file) ?? ''),
  );
  return other === undefined ? undefined : old.modules.nameOf(other);
}

/**
 * Removes a controller whose only check lifesign runs now, and returns its path for lifesign to serve; or says why it stays.
 * `root` is the module that lifesign is imported in: its first import is the place for that.
 */
export function replaceController(
  old: Old,
  module: Module,
  node: ClassNode,
  call: Call,
  root: Module,
): { readonly path: string } | { readonly why: string } {
  const name = node.id?.name ?? '';
  const path = pathOf(module, node, call);
  if (path === undefined) return { why: 'it or its file does more than this check' };
  const moved = old.all.find(({ text }) =>
    /\b(?:setGlobalPrefix|enableVersioning|RouterModule)\b/.test(text),
  );
  if (moved !== undefined) return { why: `${moved.name} changes the paths of routes` };
  const owners = old.all.filter((one) => old.modules.origin(one, name)?.module.path === module.path);
  const [owner] = owners;
  const other = otherUse(old, name, module, [module.path, ...owners.map((one) => one.path)]);
  if (owner === undefined || owners.length > 1 || other !== undefined)
    return { why: `${other ?? 'more than one module'} uses it, too` };
  const reason = `${name} is replaced: lifesign answers at ${path}`;
  if (!takeOut(old, owner, 'controllers', name, reason))
    return { why: `${owner.name} does not list it in its controllers` };
  old.plan.of(module.path, module.text).delete(reason);
  const isNeeded = old.users.some((one) => one.path !== module.path && one.path !== owner.path);
  const imports = listsIn(owner).find(({ key }) => isNamed(key, 'imports'))?.value;
  const first = imports?.type === 'ArrayExpression' ? imports.elements[0] : undefined;
  if (!isNeeded && !(owner === root && isNamed(first ?? null, 'TerminusModule')))
    takeOut(old, owner, 'imports', 'TerminusModule', 'nothing needs @nestjs/terminus any more');
  return { path };
}
