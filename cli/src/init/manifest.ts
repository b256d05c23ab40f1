import { join } from 'node:path';
import { parseExpression } from '@babel/parser';
import type { Change, Edit, Plan } from './changes.js';
import type { Project } from './project.js';
import { type Node, endOf, startOf, stringOf } from './syntax.js';
import { indentAt } from './writing.js';

type ObjectNode = Extract<Node, { type: 'ObjectExpression' }>;

function member(object: ObjectNode, name: string): Node | undefined {
  for (const property of object.properties) {
    if (property.type === 'ObjectProperty' && stringOf(property.key) === name) return property.value;
  }
  return undefined;
}

type ListNode = { readonly list: ObjectNode; readonly entries: readonly [name: string, text: string][] };

const lists = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

function entriesOf(manifest: string, list: Node | undefined): ListNode | undefined {
  if (list?.type !== 'ObjectExpression' || list.properties.length === 0) return undefined;
  const entries = list.properties.map((property): [string, string] => [
    property.type === 'ObjectProperty' ? (stringOf(property.key) ?? '') : '',
    manifest.slice(startOf(property), endOf(property)),
  ]);
  return { list, entries };
}

/** Adds lifesign to package.json, in the order of the alphabet, and changes nothing else of it. */
export function changeDependencies(
  plan: Plan,
  { directory, manifest, dependencies }: Project,
  newest: string,
): void {
  const root = parseExpression(manifest.replace(/^\uFEFF/, ' '));
  if (root.type !== 'ObjectExpression') return;
  const change = plan.of(join(directory, 'package.json'), manifest);
  const name = 'lifesign';
  const listed = (key: string): string | undefined =>
    entriesOf(manifest, member(root, key))?.entries.find(([one]) => one === name)?.[1];
  const misplaced = isOnlyForDevelopment(listed) ? listed('devDependencies') : undefined;
  const entry = misplaced ?? `${JSON.stringify(name)}: ${JSON.stringify(newest)}`;
  const reason =
    misplaced === undefined
      ? 'the package that runs inside the service; it has no dependencies'
      : 'the service needs it, and an installation for production leaves out devDependencies';
  const added = { added: entry, reason };
  let isThere = dependencies.has(name) && misplaced === undefined;
  for (const key of lists) {
    const found = entriesOf(manifest, member(root, key));
    if (found === undefined) continue;
    const isGone = (one: string): boolean => one === name && misplaced !== undefined;
    const entries = found.entries.filter(([one]) => !isGone(one));
    const edits: Edit[] = found.entries
      .filter(([one]) => isGone(one))
      .map(([, text]) => ({ added: '', removed: text, reason }));
    if (!isThere && key === 'dependencies') {
      const next = entries.findIndex(([one]) => one > name);
      entries.splice(next < 0 ? entries.length : next, 0, [name, entry]);
      edits.push(added);
      isThere = true;
    }
    if (edits.length > 0) rewriteList(change, manifest, found.list, entries, edits);
  }
  if (!isThere) addList(change, manifest, root, entry, added);
}

const isOnlyForDevelopment = (listed: (key: string) => string | undefined): boolean =>
  listed('devDependencies') !== undefined &&
  ['dependencies', 'optionalDependencies', 'peerDependencies'].every((key) => listed(key) === undefined);

function rewriteList(
  change: Change,
  manifest: string,
  list: ObjectNode,
  entries: readonly (readonly [string, string])[],
  edits: readonly Edit[],
): void {
  const [first] = list.properties;
  const last = list.properties.at(-1);
  if (first === undefined || last === undefined) return;
  const newline = manifest.includes('\r\n') ? '\r\n' : '\n';
  const isBroken = manifest.slice(startOf(list), endOf(list)).includes('\n');
  const between = isBroken ? `,${newline}${indentAt(manifest, startOf(first))}` : ', ';
  if (entries.length === 0) change.rewrite(startOf(list), endOf(list), '{}', edits);
  else change.rewrite(startOf(first), endOf(last), entries.map(([, text]) => text).join(between), edits);
}

/** A project without dependencies gets the list, too. */
function addList(change: Change, manifest: string, root: ObjectNode, entry: string, { reason }: Edit): void {
  const newline = manifest.includes('\r\n') ? '\r\n' : '\n';
  const last = root.properties.at(-1);
  if (last !== undefined && !manifest.slice(startOf(root), endOf(root)).includes('\n')) {
    change.insert(endOf(last), `,"dependencies":{${entry.replace(': ', ':')}}`, reason);
    return;
  }
  const unit = last === undefined ? '  ' : indentAt(manifest, startOf(last));
  const list = member(root, 'dependencies');
  if (list?.type === 'ObjectExpression') {
    change.replace(startOf(list), endOf(list), `{${newline}${unit}${unit}${entry}${newline}${unit}}`, reason);
    return;
  }
  const added = `"dependencies": {${newline}${unit}${unit}${entry}${newline}${unit}}`;
  if (last === undefined) change.insert(startOf(root) + 1, `${newline}  ${added}${newline}`, reason);
  else change.insert(endOf(last), `,${newline}${unit}${added}`, reason);
}

/** Replaces a script of package.json. */
export function changeScript(
  plan: Plan,
  { directory, manifest }: Project,
  name: string,
  script: string,
  reason: string,
): void {
  const root = parseExpression(manifest.replace(/^\uFEFF/, ' '));
  const scripts = root.type === 'ObjectExpression' ? member(root, 'scripts') : undefined;
  const old = scripts?.type === 'ObjectExpression' ? member(scripts, name) : undefined;
  if (old === undefined) return;
  plan
    .of(join(directory, 'package.json'), manifest)
    .replace(startOf(old), endOf(old), JSON.stringify(script), reason);
}
