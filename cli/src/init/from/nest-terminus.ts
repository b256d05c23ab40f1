import { misfit } from '../frameworks.js';
import type { Module } from '../modules.js';
import { attachNest } from '../nest.js';
import { objectOf } from '../options.js';
import { type Node, bare, walk } from '../syntax.js';
import { isFunction, returnsOf } from './functions.js';
import type { Migrate, Old } from './migration.js';
import { entryFor, type NestEntry } from './nest-indicators.js';

type Call = Extract<Node, { type: 'CallExpression' }>;
type ClassNode = Extract<Node, { type: 'ClassDeclaration' }>;

/** Runs the indicators of controllers as checks of lifesign; the controllers stay until the probes no longer ask them. */
export const migrateNestTerminus: Migrate = (old) => {
  const { application, plan, modules } = old;
  if (application?.framework !== 'nestjs') {
    for (const module of old.users) old.leave(module, undefined, 'the NestJS application was not found');
    return false;
  }
  const wrong = misfit(old.project, 'nestjs');
  if (wrong !== undefined) return (old.leave(application.module, application.creation, wrong), false);
  const entries: NestEntry[] = [];
  for (const module of old.users) {
    walk(module.tree.program, (node) => {
      if (node.type !== 'ClassDeclaration') return;
      for (const call of healthChecks(old, module, node)) addEntries(old, module, node, call, entries);
    });
  }
  if (entries.length === 0) {
    for (const module of old.users) old.leave(module, undefined, 'no check of it has an exact counterpart');
    return false;
  }
  return attachNest(plan, modules, application, old.all, {
    classes: new Map(entries.flatMap(({ type }) => (type === undefined ? [] : [type]))),
    settings: (checks, quote) => {
      const list = entries.map(({ name, text }) => pair(keyOf(name, quote), text(checks, quote)));
      const timeouts = entries
        .filter(({ timeout }) => timeout !== undefined)
        .map(({ name, timeout }) => `${keyOf(name, quote)}: { timeout: ${timeout} }`);
      return [
        `HEALTH_CHECKS: ${objectOf(list).join('').replaceAll('\n', '\n  ')}`,
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
  if (calls.length > 0)
    old.leave(
      module,
      node,
      `${node.id?.name ?? 'the controller'} still serves its route: delete it once nothing asks it any more`,
    );
  return calls;
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
): void {
  const types = injected(node);
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
    if (entry === undefined || isSecond)
      old.leave(
        module,
        element ?? list,
        'this check has no exact counterpart: write it into HEALTH_CHECKS yourself',
      );
    else if (!entries.some(({ name }) => name === entry.name)) entries.push(entry);
  }
}
