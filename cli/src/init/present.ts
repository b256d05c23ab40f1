import { join, relative } from 'node:path';
import { entriesOf, readText } from './files.js';
import type { Project } from './project.js';

const skipped = /^(?:node_modules|dist|build|out|coverage|vendor|public|\..*)$/;
/** More files than this are not looked at. */
const maxFiles = 5000;

/** Files of a folder, the nearest first, without installed and built ones. */
export function filesIn(directory: string): string[] {
  const folders = [directory];
  const files: string[] = [];
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory() && !skipped.test(entry.name)) folders.push(path);
    }
    if (files.length > maxFiles) break;
  }
  return files;
}

const imported = /(?:from\s*|require\s*\(\s*|import\s*\(?\s*)['"]lifesign(?:\/[\w/-]+)?['"]/;
const started = /--import[= ](?:\S*\/)?lifesign\/(?:dist\/)?auto/;

/** The file that uses lifesign already, in code or to start the service; undefined if none does. */
export function placeOfLifesign({ directory, scripts }: Project): string | undefined {
  if (Object.values(scripts).some((script) => started.test(script))) return 'package.json';
  const found = filesIn(directory).find((path) => {
    const isCode = /\.[cm]?[jt]sx?$/.test(path);
    if (!isCode && !/Dockerfile|compose.*\.ya?ml$/.test(path)) return false;
    return (isCode ? imported : started).test(readText(path) ?? '');
  });
  return found && relative(directory, found);
}

/** Whether files of the project run it in a container, which ends it by SIGTERM. */
export const runsInContainer = ({ directory }: Project): boolean =>
  filesIn(directory).some(
    (path) =>
      /(?:Dockerfile|Containerfile|compose[^/\\]*\.ya?ml)$/.test(path) ||
      (/\.ya?ml$/.test(path) && /^kind: *(?:Deployment|StatefulSet)\b/m.test(readText(path) ?? '')),
  );
