import { misfit } from '../frameworks.js';
import type { Module } from '../modules.js';
import { attachNest, rootModule } from '../nest.js';
import { objectOf } from '../options.js';
import { type Node, bare, walk } from '../syntax.js';
import { isFunction, returnsOf } from './functions.js';
import type { Migrate, Old } from './migration.js';
import { replaceController } from './nest-controller.js';
import { entryFor, type NestEntry } from './nest-indicators.js';

type Call = Extract<Node, { type: 'CallExpression' }>;
type ClassNode = Extract<Node, { type: 'ClassDeclaration' }>;

interface Controller {
  readonly module: Module;
  readonly node: ClassNode;
  readonly call: Call;
  /** Whether all its checks are checks of lifesign now. */
  readonly isWhole: boolean;
}

/** Runs the indicators of controllers as checks of lifesign; a controller that does more stays until nothing asks it any more. */
export const migrateNestTerminus: Migrate = (old) => {
  const { application, plan, modules } = old;
  if (application?.framework !== 'nestjs') {
    for (const module of old.users) old.leave(module, undefined, 'the NestJS application was not found');
    return false;
  }
  const wrong = misfit(old.project, 'nestjs');
  if (wrong !== undefined) return (old.leave(application.module, application.creation, wrong), false);
  const entries: NestEntry[] = [];
  const controllers: Controller[] = [];
  for (const module of old.users) {
    walk(module.tree.program, (node) => {
      if (node.type !== 'ClassDeclaration') return;
      for (const call of healthChecks(old, module, node)) {
        const isWhole = addEntries(old, module, node, call, entries);
        controllers.push({ module, node, call, isWhole });
      }
    });
  }
  if (entries.length === 0) {
    for (const module of old.users) old.leave(module, undefined, 'no check of it has an exact counterpart');
    return false;
  }
  const paths = replaceControllers(old, controllers, rootModule(modules, application)?.module);
  return attachNest(plan, modules, application, old.all, {
    classes: new Map(entries.flatMap(({ type }) => (type === undefined ? [] : [type]))),
    settings: (checks, quote) => {
      const list = entries.map(({ name, text }) => pair(keyOf(name, quote), text(checks, quote)));
      const timeouts = entries
        .filter(({ timeout }) => timeout !== undefined)
        .map(({ name, timeout }) => `${keyOf(name, quote)}: { timeout: ${timeout} }`);
      return [
        `HEALTH_CHECKS: ${objectOf(list).join('').replaceAll('\n', '\n  ')}`,
        ...paths.map(
          (path) => `HEALTH_PROBES: { ready: [${quote}/readyz${quote}, ${quote}${path}${quote}] }`,
        ),
        ...(timeouts.length === 0 ? [] : [`HEALTH_CHECK_OPTIONS: { ${timeouts.join(', ')} }`]),
      ];
    },
  });
};

const pair = (key: string, value: string): string => (key === value ? key : `${key}: ${value}`);
const keyOf = (name: string, quote: string): string =>
  /^[a-z_$][\w$]*$/i.test(name) ? name : quote + name + quote;

/** The types of the parameters of a constructor, by their names. */
function injected({ body }: ClassNode): Map<string, string> {
  const types = new Map<string, string>();
  for (const member of body.body) {
    if (member.type !== 'ClassMethod' || member.kind !== 'constructor') continue;
    for (const parameter of member.params) {
      const plain = parameter.type === 'TSParameterProperty' ? parameter.parameter : parameter;
      const note = plain.type === 'Identifier' ? plain.typeAnnotation : undefined;
      if (plain.type !== 'Identifier' || note?.type !== 'TSTypeAnnotation') continue;
      const { typeAnnotation } = note;
      if (typeAnnotation.type === 'TSTypeReference' && typeAnnotation.typeName.type === 'Identifier')
        types.set(plain.name, typeAnnotation.typeName.name);
    }
  }
  return types;
}

/** The calls `this.health.check([…])` of a class, whose `health` is the service of @nestjs/terminus. */
function healthChecks(old: Old, module: Module, node: ClassNode): Call[] {
  const types = injected(node);
  const calls: Call[] = [];
  walk(node, (one) => {
    if (one.type !== 'CallExpression') return;
    const [owner, method] = memberOf(one.callee) ?? [];
    const imported = owner === undefined ? undefined : module.imports.get(types.get(owner) ?? '');
    if (method === 'check' && imported?.name === 'HealthCheckService' && old.packages.includes(imported.from))
      calls.push(one);
  });
  return calls;
}

/** Removes the only controller if lifesign runs all its checks, and returns its path; the others are named. */
function replaceControllers(
  old: Old,
  controllers: readonly Controller[],
  root: Module | undefined,
): readonly string[] {
  const [only] = controllers;
  if (only === undefined || root === undefined) return [];
  const { module, node, call, isWhole } = only;
  const done =
    controllers.length > 1
      ? { why: 'there are several checks with routes of their own' }
      : isWhole
        ? replaceController(old, module, node, call, root)
        : { why: 'not all of its checks are replaced' };
  if ('path' in done) return [done.path];
  for (const one of controllers)
    old.leave(
      one.module,
      one.node,
      `${one.node.id?.name ?? 'the controller'} still serves its route, since ${done.why}: delete it once nothing asks it any more`,
    );
  return [];
}

/** `db` and `pingCheck` of `this.db.pingCheck`. */
function memberOf(node: Node): readonly [string, string] | undefined {
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return undefined;
  const { object } = node;
  if (object.type !== 'MemberExpression' || object.object.type !== 'ThisExpression') return undefined;
  return object.property.type === 'Identifier' ? [object.property.name, node.property.name] : undefined;
}

function addEntries(
  old: Old,
  module: Module,
  node: ClassNode,
  { arguments: [list] }: Call,
  entries: NestEntry[],
): boolean {
  const types = injected(node);
  let isWhole = true;
  const elements = list?.type === 'ArrayExpression' ? list.elements : [undefined];
  for (const element of elements) {
    const returned = element && isFunction(element) ? returnsOf(element) : [];
    const call = bare(returned[0]);
    const [owner, method] = (call?.type === 'CallExpression' ? memberOf(call.callee) : undefined) ?? [];
    const type = owner === undefined ? undefined : types.get(owner);
    const entry =
      returned.length === 1 && call?.type === 'CallExpression' && type !== undefined && method !== undefined
        ? entryFor(old.modules, module, type, method, call, old.packages)
        : undefined;
    const isSecond =
      entry?.isDatabase === true &&
      entries.some(({ isDatabase, name }) => isDatabase === true && name !== entry.name);
    if (entry === undefined || isSecond) {
      isWhole = false;
      old.leave(
        module,
        element ?? list,
        'this check has no exact counterpart: write it into HEALTH_CHECKS yourself',
      );
    } else if (!entries.some(({ name }) => name === entry.name)) entries.push(entry);
  }
  return isWhole;
}
