import { type Framework, frameworkOf } from './frameworks.js';
import type { Module, Modules } from './modules.js';
import { importedAs } from './names.js';
import {
  type Creation,
  type Node,
  codeOf,
  holderOf,
  memberOf,
  referenceOf,
  statementAround,
  walk,
} from './syntax.js';

/** An application that a module creates. */
export interface Application {
  readonly framework: Framework;
  readonly module: Module;
  readonly creation: Creation;
  /** The nodes around the creation, the nearest last. */
  readonly around: readonly Node[];
  /** How later statements refer to it; undefined if they cannot. */
  readonly reference: string | undefined;
}

const isApplication = (member: string): boolean => !/^(?:listen|fetch|callback)$/.test(member);

function applicationsIn(module: Module): Application[] {
  const found: Application[] = [];
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return;
    const imported = importedAs(module, node.callee) ?? nestFactory(module, node);
    const framework = imported && frameworkOf(imported);
    const isClass = framework === 'koa' || framework === 'hono';
    if (framework === undefined || isClass !== (node.type === 'NewExpression')) return;
    if (framework === 'nestjs' && nestFactory(module, node) === undefined) return;
    const { reference } = holderOf(module, node, around, isApplication);
    found.push({ framework, module, creation: node, around, reference });
  });
  return found;
}

/** `NestFactory.create(AppModule)`; a microservice and an application context serve no HTTP. */
function nestFactory(module: Module, { callee }: Creation): { from: string; name: string } | undefined {
  const { object, name } = memberOf(callee) ?? {};
  const imported = object?.type === 'Identifier' ? module.imports.get(object.name) : undefined;
  return imported?.name === 'NestFactory' && name === 'create' ? imported : undefined;
}

/** Applications that are mounted into another one, by module and local name. */
function mountedIn(modules: Modules, all: readonly Module[]): Set<string> {
  const mounted = new Set<string>();
  for (const module of all) {
    walk(module.tree.program, (node) => {
      const called = node.type === 'CallExpression' ? memberOf(node.callee)?.name : undefined;
      if (node.type !== 'CallExpression' || !/^(?:use|route|mount|register|all)$/.test(called ?? '')) return;
      for (const argument of node.arguments) {
        if (argument.type !== 'Identifier') continue;
        const origin = modules.source(module, argument.name);
        const name = origin?.module.exports.get(origin.key) ?? argument.name;
        if (typeof name === 'string') mounted.add(`${(origin?.module ?? module).path}#${name}`);
      }
    });
  }
  return mounted;
}

/** Whether something in the module listens with it, hands it to a server, exports or returns it. */
function isServed({ module, reference, creation, around }: Application): boolean {
  if (reference === undefined) return false;
  if ([...module.exports.values()].includes(reference)) return true;
  const statement = statementAround(creation, around)?.statement;
  let served = statement?.type === 'ExportNamedDeclaration' || statement?.type === 'ExportDefaultDeclaration';
  walk(module.tree.program, (node) => {
    if (node.type === 'ReturnStatement' && referenceOf(module, node.argument) === reference) served = true;
    if (node.type !== 'CallExpression') return;
    const { callee } = node;
    const member = memberOf(callee);
    if (member !== undefined && referenceOf(module, member.object) === reference)
      served ||= ['listen', 'callback', 'ready'].includes(member.name);
    const last = member?.name ?? (callee.type === 'Identifier' ? callee.name : '');
    if (!/^(?:createServer|createSecureServer|serve|createAdaptorServer|createTerminus|handle)$/.test(last))
      return;
    served ||= new RegExp(`(?<![\\w$.])${reference.replace('.', '\\.')}(?![\\w$])`).test(
      codeOf(module, node),
    );
  });
  return served;
}

/** The application that serves the requests; a list if that is not clear, empty if there is none. */
export function servedAmong(modules: Modules, all: readonly Module[]): Application[] {
  const mounted = mountedIn(modules, all);
  const every = all
    .flatMap(applicationsIn)
    .filter(({ module, reference = '' }) => !mounted.has(`${module.path}#${reference}`));
  // A server of Node around the application of a framework is not a second one.
  const frameworks = every.filter(({ framework }) => framework !== 'node');
  const candidates = frameworks.length > 0 ? frameworks : every;
  if (candidates.length < 2) return candidates;
  const served = candidates.filter(isServed);
  return served.length === 0 ? candidates : served;
}
