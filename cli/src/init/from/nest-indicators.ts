import type { Module, Modules } from '../modules.js';
import { type Node, stringOf, walk } from '../syntax.js';
import { textOf } from './functions.js';
import { optionsOf } from './migration.js';

type Call = Extract<Node, { type: 'CallExpression' }>;

/** An entry of HEALTH_CHECKS. */
export interface NestEntry {
  readonly name: string;
  /** The replacement, with the local name of `checks` and the quotes of the file. */
  readonly text: (checks: string, quote: string) => string;
  /** A class that it names, and the file that declares it. */
  readonly type?: readonly [name: string, path: string];
  readonly isDatabase?: boolean;
  readonly timeout?: string;
}

const databases = new Set([
  'TypeOrmHealthIndicator',
  'SequelizeHealthIndicator',
  'MikroOrmHealthIndicator',
  'PrismaHealthIndicator',
]);
const globals = new Set(['process', 'Math', 'Number', 'String', 'undefined']);

/** Whether code means the same in another file. */
function isFree(node: Node): boolean {
  let isGood = true;
  walk(node, (one, around) => {
    const parent = around.at(-1);
    const isKey =
      (parent?.type === 'MemberExpression' && parent.property === one && !parent.computed) ||
      (parent?.type === 'ObjectProperty' && parent.key === one && !parent.computed);
    if (one.type === 'ThisExpression' || (one.type === 'Identifier' && !isKey && !globals.has(one.name)))
      isGood = false;
  });
  return isGood;
}

/** The check for a call of an indicator; undefined if the guide has no exact counterpart. */
export function entryFor(
  modules: Modules,
  module: Module,
  type: string,
  method: string,
  { arguments: args }: Call,
  packages: readonly string[],
): NestEntry | undefined {
  const [first, second] = args;
  const name = stringOf(first);
  if (name === undefined || args.length > 2) return undefined;
  const imported = module.imports.get(type);
  if (imported === undefined || !packages.includes(imported.from)) {
    const origin = modules.origin(module, type);
    return origin === undefined || method !== 'isHealthy' || args.length > 1
      ? undefined
      : { name, text: () => type, type: [type, origin.module.path] };
  }
  if (databases.has(imported.name) && method === 'pingCheck')
    return database(module, name, imported.name, second);
  if (second === undefined || !isFree(second)) return undefined;
  const text = textOf(module, second);
  if (imported.name === 'HttpHealthIndicator' && method === 'pingCheck')
    return { name, text: (checks) => `${checks}.http(${text})` };
  if (imported.name === 'MemoryHealthIndicator' && method === 'checkRSS')
    return { name, text: (checks) => `${checks}.memory({ limit: ${text}, error: 1 })` };
  if (imported.name !== 'DiskHealthIndicator' || method !== 'checkStorage') return undefined;
  const options = optionsOf(second);
  const [path, percent] = [options?.get('path')?.value, options?.get('thresholdPercent')?.value];
  if (options?.size !== 2 || path === undefined || percent === undefined) return undefined;
  const written = `{ path: ${textOf(module, path)}, error: ${textOf(module, percent)} }`;
  return { name, text: (checks) => `${checks}.disk(${written})` };
}

function database(
  module: Module,
  name: string,
  type: string,
  options: Node | undefined,
): NestEntry | undefined {
  const entry: NestEntry = {
    name,
    text: (_checks, quote) => `${quote}lifesign/checks.checkDatabaseConnected${quote}`,
    isDatabase: true,
  };
  if (options === undefined || type === 'PrismaHealthIndicator') return entry;
  const timeout = optionsOf(options);
  const value = timeout?.get('timeout')?.value;
  return timeout?.size === 1 && value !== undefined && isFree(value)
    ? { ...entry, timeout: textOf(module, value) }
    : undefined;
}
