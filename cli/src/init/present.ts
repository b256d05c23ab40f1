import { join, relative } from 'node:path';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';

const skipped = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor', 'public']);
/** More files than this are not looked at. */
const maxFiles = 5000;

/** Files of the project, the nearest first, without installed and built ones. */
export function* filesIn(directory: string): Generator<string> {
  const folders = [directory];
  let seen = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      seen += 1;
      if (seen > maxFiles) return;
      const path = join(folder, entry.name);
      if (entry.isFile()) yield path;
      else if (entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.'))
        folders.push(path);
    }
  }
}

const imported = /(?:from\s*|require\s*\(\s*|import\s*\(?\s*)['"]lifesign(?:\/[\w/-]+)?['"]/;
const started = /--import[= ](?:\S*\/)?lifesign\/(?:dist\/)?auto/;

/** The file that uses lifesign already, in code or to start the service; undefined if none does. */
export function placeOfLifesign({ directory, scripts }: Project): string | undefined {
  if (Object.values(scripts).some((script) => started.test(script))) return 'package.json';
  for (const path of filesIn(directory)) {
    const isCode = /\.[cm]?[jt]sx?$/.test(path);
    if (!isCode && !/Dockerfile|compose.*\.ya?ml$/.test(path)) continue;
    if ((isCode ? imported : started).test(readText(path) ?? '')) return relative(directory, path);
  }
  return undefined;
}

/** Whether files of the project run it in a container, which ends it by SIGTERM. */
export function runsInContainer({ directory }: Project): boolean {
  for (const path of filesIn(directory)) {
    if (/(?:Dockerfile|Containerfile|compose[^/\\]*\.ya?ml)$/.test(path)) return true;
    if (/\.ya?ml$/.test(path) && /^kind: *(?:Deployment|StatefulSet)\b/m.test(readText(path) ?? ''))
      return true;
  }
  return false;
}
