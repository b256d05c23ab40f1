import { join } from 'node:path';
import { parseExpression } from '@babel/parser';
import type { Plan } from './changes.js';
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

/** Adds a dependency to package.json, in the order of the alphabet, and changes nothing else of it. */
export function addDependency(
  plan: Plan,
  { directory, manifest, dependencies }: Project,
  name: string,
  range: string,
): void {
  if (dependencies.has(name)) return;
  const root = parseExpression(manifest.replace(/^\uFEFF/, ' '));
  if (root.type !== 'ObjectExpression') return;
  const change = plan.of(join(directory, 'package.json'), manifest);
  const reason = 'the package that runs inside the service; it has no dependencies';
  const newline = manifest.includes('\r\n') ? '\r\n' : '\n';
  const entry = `${JSON.stringify(name)}: ${JSON.stringify(range)}`;
  const list = member(root, 'dependencies');
  if (list?.type === 'ObjectExpression' && list.properties.length > 0) {
    const next = list.properties.find(
      (property) => property.type === 'ObjectProperty' && (stringOf(property.key) ?? '') > name,
    );
    const last = list.properties.at(-1);
    const near = next ?? last;
    if (near === undefined || last === undefined) return;
    const isBroken = manifest.slice(startOf(list), endOf(list)).includes('\n');
    const between = isBroken ? `,${newline}${indentAt(manifest, startOf(near))}` : ', ';
    if (next === undefined) change.insert(endOf(last), between + entry, reason);
    else change.insert(startOf(next), entry + between, reason);
    return;
  }
  const last = root.properties.at(-1);
  if (last !== undefined && !manifest.slice(startOf(root), endOf(root)).includes('\n')) {
    change.insert(endOf(last), `,"dependencies":{${entry.replace(': ', ':')}}`, reason);
    return;
  }
  const unit = last === undefined ? '  ' : indentAt(manifest, startOf(last));
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
