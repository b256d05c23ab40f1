import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import '../../package/build.js';

/** Puts the package, as it is published, where the applications of this folder find it: once, since files run side by side. */
export default function setup(project: TestProject): void {
  const place = join(import.meta.dirname, 'node_modules/lifesign');
  rmSync(place, { recursive: true, force: true });
  cpSync(project.getProvidedContext().built, place, { recursive: true });
}
