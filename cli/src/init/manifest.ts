import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Plan } from './changes.js';
import type { Project } from './project.js';

const name = 'lifesign';
const path = 'package.json';

type Json = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

/** Adds lifesign to package.json, in the order of the alphabet, and changes nothing else of it. */
export function changeDependencies(plan: Plan, { directory, manifest }: Project, newest: string): void {
  const json: Json = JSON.parse(manifest.replace(/^\uFEFF/, ''));
  const { dependencies, devDependencies, ...others } = json;
  const isListed = [dependencies, others['optionalDependencies'], others['peerDependencies']].some(
    (list) => list?.[name] !== undefined,
  );
  if (isListed) return;
  const misplaced = devDependencies?.[name];
  const range = misplaced ?? newest;
  const change = plan.of(join(directory, path), manifest);
  const reason =
    misplaced === undefined
      ? 'the package that runs inside the service; it has no dependencies'
      : 'the service needs it, and an installation for production leaves out devDependencies';
  if (misplaced !== undefined) {
    const [from, to] = entryIn(manifest, 'devDependencies');
    change.replace(from, to, '', reason);
  }
  const { at, added } = placeFor(manifest, `"${name}": ${JSON.stringify(range)}`);
  change.insert(at, added, reason);
  const { [name]: _moved, ...rest } = devDependencies ?? {};
  const wanted = {
    ...(devDependencies && { devDependencies: rest }),
    dependencies: { ...dependencies, [name]: range },
  };
  if (!proves(change.after, { ...json, ...wanted, scripts: undefined })) {
    change.undo();
    plan.note(
      `${path} is written in a way that init does not change: add "${name}": "${range}" to its dependencies`,
    );
  }
}

/** Replaces a script of package.json. */
export function changeScript(
  plan: Plan,
  { directory, manifest, scripts }: Project,
  script: string,
  to: string,
  reason: string,
): void {
  const old = JSON.stringify(scripts[script]);
  const at = manifest.indexOf(old, manifest.search(new RegExp(`"${script}"\\s*:`)));
  plan.of(join(directory, path), manifest).replace(at, at + old.length, JSON.stringify(to), reason);
}

/** Scripts have been changed by then, and are another edit. */
function proves(text: string, wanted: object): boolean {
  try {
    return isDeepStrictEqual({ ...JSON.parse(text.replace(/^\uFEFF/, '')), scripts: undefined }, wanted);
  } catch {
    return false;
  }
}

const listed = (list: string): RegExp => new RegExp(`"${list}"\\s*:\\s*\\{([^{}]*)\\}`, 'd');

/** Where an entry of a list is, with the comma and the space that go with it. */
function entryIn(manifest: string, list: string): readonly [number, number] {
  const [from, to] = listed(list).exec(manifest)?.indices?.[1] ?? [0, 0];
  const body = manifest.slice(from, to);
  const entry = `"${name}"\\s*:\\s*"[^"]*"`;
  const found =
    new RegExp(`\\s*${entry},`).exec(body) ??
    new RegExp(`,\\s*${entry}`).exec(body) ??
    new RegExp(`^\\s*${entry}\\s*$`).exec(body);
  const at = from + (found?.index ?? 0);
  return [at, at + (found?.[0].length ?? 0)];
}

/** Where a dependency goes: into the list, or into a new one at the end. */
function placeFor(manifest: string, entry: string): { readonly at: number; readonly added: string } {
  const newline = manifest.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([ \t]+)"/.exec(manifest)?.[1];
  const [from, to] = listed('dependencies').exec(manifest)?.indices?.[1] ?? [];
  const lines = unit === undefined ? entry : `${newline}${unit}${unit}${entry}${newline}${unit}`;
  if (from === undefined || to === undefined) {
    const end = manifest.trimEnd().length - 1;
    const at = manifest.slice(0, end).trimEnd().length;
    const comma = manifest[at - 1] === '{' ? '' : ',';
    return { at, added: `${comma}${unit === undefined ? '' : newline + unit}"dependencies": {${lines}}` };
  }
  const body = manifest.slice(from, to);
  const entries = [...body.matchAll(/(\s*)"([^"]+)"\s*:\s*"[^"]*"/g)];
  const next = entries.find(([, , one = '']) => one > name);
  const last = entries.at(-1);
  if (next !== undefined) return { at: from + next.index, added: `${next[1]}${entry},` };
  return last === undefined
    ? { at: to, added: body.trim() === '' && !body.includes('\n') ? lines : entry }
    : { at: from + last.index + last[0].length, added: `,${last[1]}${entry}` };
}
