import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json.js';
import type { Plan } from './changes.js';
import { jsonOf, type Project, texts } from './project.js';

const name = 'lifesign';

/** Adds lifesign to package.json, in the order of the alphabet, and changes nothing else of it. */
export function changeDependencies(plan: Plan, { directory, manifest }: Project, newest: string): void {
  const json = jsonOf(manifest);
  const of = (list: string): Readonly<Record<string, string>> => texts(isRecord(json) && json[list]);
  const lists = ['dependencies', 'optionalDependencies', 'peerDependencies'];
  if (lists.some((list) => of(list)[name] !== undefined)) return;
  if (of('devDependencies')[name] !== undefined)
    return plan.note(
      `package.json has ${name} among the devDependencies, which an installation for production leaves out: move it to the dependencies`,
    );
  const change = plan.of(join(directory, 'package.json'), manifest);
  const { at, added } = placeFor(manifest, `"${name}": "${newest}"`);
  change.insert(at, added, 'the package that runs inside the service; it has no dependencies');
  const wanted = { ...of('dependencies'), [name]: newest };
  if (isRecord(json) && isDeepStrictEqual(jsonOf(change.after), { ...json, dependencies: wanted })) return;
  change.undo();
  plan.note(
    `package.json is written in a way that init does not change: add "${name}": "${newest}" to its dependencies`,
  );
}

/** Where a dependency goes: into the list, or into a new one at the end. */
function placeFor(manifest: string, entry: string): { readonly at: number; readonly added: string } {
  const unit = /\n([ \t]+)"/.exec(manifest)?.[1];
  const [from, to] = /"dependencies"\s*:\s*\{([^{}]*)\}/d.exec(manifest)?.indices?.[1] ?? [];
  const lines = unit === undefined ? entry : `\n${unit}${unit}${entry}\n${unit}`;
  if (from === undefined || to === undefined) {
    const at = manifest.slice(0, manifest.trimEnd().length - 1).trimEnd().length;
    const comma = manifest[at - 1] === '{' ? '' : ',';
    return { at, added: `${comma}${unit === undefined ? '' : `\n${unit}`}"dependencies": {${lines}}` };
  }
  const body = manifest.slice(from, to);
  const entries = [...body.matchAll(/(\s*)"([^"]+)"\s*:\s*"[^"]*"/g)];
  const next = entries.find(([, , one = '']) => one > name);
  const last = entries.at(-1);
  if (next !== undefined) return { at: from + next.index, added: `${next[1]}${entry},` };
  if (last === undefined) return { at: to, added: body.includes('\n') ? entry : lines };
  return { at: from + last.index + last[0].length, added: `,${last[1]}${entry}` };
}
