import { join } from 'node:path';
import { expect } from 'vitest';
import { planFor } from '../../src/init/plan.js';
import { readProject } from '../../src/init/project.js';
import { treeOf } from '../../src/init/syntax.js';
import { writeProject } from './write-project.js';

export const manifest = (fields: object): string =>
  `${JSON.stringify({ name: 'shop', ...fields }, null, 2)}\n`;

/** What init would change in a project, without a process and without writing it. */
export function planned(files: Readonly<Record<string, string>>, at = '.') {
  const directory = join(writeProject(files), at);
  const { plan, what } = planFor(readProject(directory));
  const changed = new Map(plan.changes.map(({ path, after }) => [path, after]));
  for (const [path, text] of changed)
    if (/\.[cm]?[jt]sx?$/.test(path)) expect(treeOf(path, text), text).toBeDefined();
  return {
    what,
    notes: plan.notes,
    /** A file afterwards; undefined if it stays as it is. */
    file: (name: string): string | undefined => changed.get(join(directory, name)),
    files: [...changed.keys()].map((path) => path.slice(directory.length + 1)),
  };
}
