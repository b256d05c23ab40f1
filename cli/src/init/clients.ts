import { creationIn, type Kind, kindOf, type Use } from './client-kinds.js';
import type { Module } from './modules.js';
import { importedAs, isName } from './names.js';
import { mongooseIn, requireOf } from './references.js';
import { type Node, endOf, startOf, statementAround, walk } from './syntax.js';

/** A client that a module creates and keeps under a name or exports. */
export interface Client {
  readonly use: Use;
  readonly library: string;
  readonly module: Module;
  readonly name: string;
  /** The export that is the client itself: `export default new Pool()` gives it no name. */
  readonly key?: string;
  /** The statement that creates it, and the block around that. */
  readonly statement: Node;
  readonly block: Node;
  /** Whether another client uses it: it is checked through that one. */
  readonly isInner: boolean;
  /** Whether it ends the process when it emits an error that the module has no listener for. */
  readonly needsListener: boolean;
}

/** A client that no other line can refer to: created in a class, or when a function is called. */
interface Hidden {
  readonly use: Use;
  readonly library: string;
  readonly module: Module;
  readonly line: number;
}

interface Placed {
  readonly statement: Node;
  readonly block: Node;
}

/** The clients of a module. */
export interface Clients {
  readonly named: readonly Client[];
  readonly hidden: readonly Hidden[];
}

const usualNames: Readonly<Record<Use, string>> = { db: 'db', mongo: 'mongoClient', redis: 'redis' };

function clientsIn(module: Module): Clients {
  const named: Client[] = [];
  const seen = new Set<Node>();
  const inner = new Set<string>();
  const add = (creation: Node, kind: Kind, name: string, place: Placed, key?: string): void => {
    for (const one of namesWithin(creation, seen)) inner.add(one);
    seen.add(creation);
    const known = named.findIndex((client) => client.name === name && client.key === key);
    if (known >= 0) named.splice(known, 1);
    const { use, library, listener } = kind;
    const needsListener = listener === true && !hasListener(module, name, place.statement);
    const found = { ...place, use, library, module, name, isInner: false, needsListener };
    named.push(key === undefined ? found : { ...found, key });
  };
  walk(module.tree.program, (node, around) => {
    const place = statementAround(node, around);
    if (place === undefined) return;
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') {
      const creation = creationIn(node.init);
      const kind = kindOf(module, creation);
      if (creation !== undefined && kind !== undefined) add(creation, kind, node.id.name, place);
    } else if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') {
      const creation = creationIn(node.right);
      const kind = kindOf(module, creation);
      const [program, statement] = [...around, node];
      if (creation === undefined || kind === undefined || !program || !statement) return;
      if (isAlwaysRun(module, node.left.name, around))
        add(creation, kind, node.left.name, { statement, block: program });
    }
  });
  for (const [key, value] of module.values) {
    const creation = creationIn(value);
    const kind = kindOf(module, creation);
    const statement = module.tree.program.body.find(
      (one) => startOf(one) <= startOf(value) && endOf(one) >= endOf(value),
    );
    if (creation === undefined || kind === undefined || statement === undefined || seen.has(creation))
      continue;
    const name = key === 'default' ? usualNames[kind.use] : (key.split('.').at(-1) ?? key);
    add(creation, kind, name, { statement, block: module.tree.program }, key);
  }
  addMongoose(module, named);
  return {
    named: named.map((client) => ({ ...client, isInner: inner.has(client.name) })),
    hidden: hiddenIn(module, seen),
  };
}

/** Whether a name has its value when the module is loaded: it gets it in no function, and in both branches of an `if`. */
function isAlwaysRun({ text }: Module, name: string, around: readonly Node[]): boolean {
  const assigned = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=[^=]`);
  return around.every((one) => {
    if (one.type !== 'IfStatement')
      return ['Program', 'ExpressionStatement', 'BlockStatement'].includes(one.type);
    const branches = [one.consequent, one.alternate];
    return branches.every((branch) => branch && assigned.test(text.slice(startOf(branch), endOf(branch))));
  });
}

function hasListener({ text }: Module, name: string, statement: Node): boolean {
  const listens = /\.\s*on\s*\(\s*['"]error['"]/;
  const own = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}\\s*${listens.source}`);
  return own.test(text) || listens.test(text.slice(startOf(statement), endOf(statement)));
}

/** The names that a creation uses; clients among its arguments are checked through it. */
function namesWithin(creation: Node, seen: Set<Node>): Set<string> {
  const names = new Set<string>();
  if (creation.type !== 'CallExpression' && creation.type !== 'NewExpression') return names;
  for (const argument of creation.arguments) {
    walk(argument, (node, around) => {
      if (isName(node, around.at(-1))) names.add(node.name);
      seen.add(node);
    });
  }
  return names;
}

function hiddenIn(module: Module, seen: ReadonlySet<Node>): Hidden[] {
  const hidden: Hidden[] = [];
  walk(module.tree.program, (node) => {
    const kind = seen.has(node) ? undefined : kindOf(module, node);
    if (kind === undefined || hidden.some(({ library }) => library === kind.library)) return;
    hidden.push({ use: kind.use, library: kind.library, module, line: node.loc?.start.line ?? 1 });
  });
  return hidden;
}

/** The clients of all modules of a service. */
export function clientsAmong(all: readonly Module[]): Clients {
  const every = all.map(clientsIn);
  const connects = all.some(connectsMongoose);
  return {
    named: every.flatMap(({ named }) => named).filter(({ library }) => library !== 'mongoose' || connects),
    hidden: every.flatMap(({ hidden }) => hidden),
  };
}

/** Connections of `mongoose.createConnection()` are others than the one that is there by default. */
function connectsMongoose(module: Module): boolean {
  let connects = false;
  walk(module.tree.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const called = importedAs(module, node.callee);
    connects ||= called?.from === 'mongoose' && called.name === 'connect';
  });
  return connects;
}

/** `mongoose.connect()` opens the connection that every model uses. */
function addMongoose(module: Module, found: Client[]): void {
  const local = mongooseIn(module);
  if (local === undefined) return;
  const [first] = module.tree.program.body;
  const statement = requireOf(module, local) ?? first;
  if (statement === undefined) return;
  const place = { statement, block: module.tree.program };
  const known = { use: 'mongo', library: 'mongoose', isInner: false, needsListener: false } as const;
  found.push({ ...known, ...place, module, name: `${local}.connection` });
}
