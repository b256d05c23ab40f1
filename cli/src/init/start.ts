import { join } from 'node:path';
import { isFile, readText } from './files.js';
import { fileFor, type Module } from './modules.js';
import { jsonOf, type Project } from './project.js';

/** How a service is started: by a file of its own, or by the command of its framework. */
export type Start =
  | { readonly by: 'file'; readonly file: string }
  /** `-p 8080` on the command line is its port. */
  | { readonly by: 'fastify-cli'; readonly file: string; readonly port: number | undefined }
  | { readonly by: 'next' };

/** The script that starts the service, those for production, those for development. */
const scriptNames = [
  /^start$/,
  /^(?:start:prod(?:uction)?|serve|server|worker)$/,
  /^(?:start:dev|dev|develop)$/,
];
const plain = ['main', 'server', 'index', 'app', 'www', 'worker', 'bin/www'];
const folders = ['src', '.', 'server', 'api', 'app', 'lib', 'source'];

/** Every way in which the service may be started, the likeliest first. */
export function startsOf(project: Project): Start[] {
  const { directory, scripts, main = '' } = project;
  const names = scriptNames.flatMap((pattern) => Object.keys(scripts).filter((name) => pattern.test(name)));
  const commands = [
    ...names.map((name) => wholeScript(scripts, scripts[name] ?? '')),
    dockerCommand(directory),
  ];
  const usual = folders.flatMap((folder) => plain.map((name) => join(folder, name)));
  const starts = [
    ...commands.flatMap((command) => startsBy(project, command)),
    ...filesOf(project, [main, ...usual]),
  ];
  return [...new Map(starts.map((start) => [JSON.stringify(start), start])).values()];
}

/** A script with those that it runs by `npm run x`. */
function wholeScript(scripts: Project['scripts'], script: string, depth = 0): string {
  const runs = /\b(?:npm|pnpm|yarn|bun) (?:run(?:-script)? )?([\w:.-]+)/g;
  return script.replaceAll(runs, (whole, name: string) => {
    const inner = scripts[name];
    return inner === undefined || depth > 3 ? whole : wholeScript(scripts, inner, depth + 1);
  });
}

function dockerCommand(directory: string): string {
  const lines = (readText(join(directory, 'Dockerfile')) ?? '').split('\n');
  const [, command = ''] =
    lines.map((line) => /^\s*(?:CMD|ENTRYPOINT)\s+(.*)/i.exec(line)).findLast(Boolean) ?? [];
  const list = jsonOf(command);
  return Array.isArray(list) ? list.join(' ') : command;
}

/** By a framework's own command, or by each word that is a file. */
function startsBy(project: Project, command: string): Start[] {
  if (/\bnext (?:start|dev)\b/.test(command)) return [{ by: 'next' }];
  const words = (command.match(/"[^"]*"|'[^']*'|[^\s;&|]+/g) ?? []).map((word) =>
    word.replace(/^(["'])(.*)\1$/, '$2'),
  );
  const files = filesOf(project, /\bnest start\b/.test(command) ? ['src/main'] : words);
  if (!/\bfastify start\b/.test(command)) return files;
  const port = Number(/ (?:-p|--port)[= ](\d+)/.exec(command)?.[1]) || undefined;
  return files.map(({ file }) => ({ by: 'fastify-cli', file, port }));
}

function filesOf(project: Project, paths: readonly string[]): { by: 'file'; file: string }[] {
  const files = paths.map((path) => (/^(?:$|-)/.test(path) ? undefined : sourceOf(project, path)));
  return files.flatMap((file) => (file === undefined ? [] : [{ by: 'file', file }]));
}

/** The source of a file that is started: of `dist/server.js` it is `src/server.ts`. */
function sourceOf({ directory, outDir, rootDir }: Project, path: string): string | undefined {
  const compiled = [outDir, 'dist', 'build', 'out'].map((folder) =>
    folder.replace(/^\.\//, '').replace(/\/$/, ''),
  );
  const plainPath = path.replace(/^\.\//, '');
  const folder = compiled.find((one) => plainPath.startsWith(`${one}/`));
  if (folder !== undefined) {
    const rest = plainPath.slice(folder.length + 1);
    const sources = [rootDir, 'src', '.'].map((root) => join(directory, root, rest));
    // Never the compiled file: the next build would undo the change.
    return sources.map(fileFor).find((source) => source !== undefined);
  }
  const file = join(directory, plainPath);
  // `bin/www` of the Express generator has no extension.
  return fileFor(file) ?? (isFile(file) && /(?:^|\/)bin\//.test(plainPath) ? file : undefined);
}

/** The port and protocol of a service, for the files beside the code. */
export interface Serving {
  /** The port without `PORT` in its environment, if the code says it. */
  readonly port: number | undefined;
  /** Whether it answers requests over plain HTTP/1.1. */
  readonly isPlain: boolean;
}

export const servingOf = (all: readonly Module[]): Serving => ({
  port: patterns.flatMap((pattern) => all.flatMap((module) => portsIn(module, pattern)))[0],
  isPlain: !all.some(({ text }) => secure.test(text)),
});

/** Servers of https and http2, and `fastify({ https: … })`. */
const secure =
  /\bcreateSecureServer\s*\(|\bhttp(?:s|2)['"]?\)?\.create\w*Server\s*\(|\bcreateServer\b[^;]*?(?:from\s*|require\()['"](?:node:)?http(?:s|2)['"]|\bhttp(?:s|2)\s*:\s*(?!false)[{\w]/;

/** The likeliest first: `PORT || 3000`, `PORT ? … : 3000`, `{ PORT = 3000 }`, `PORT: z.number().default(3000)`, `listen(3000)` and `serve({ port: 3000 })`. */
const patterns = [
  String.raw`\bPORT\b[^\n;{}]*?(?:\|\||\?\?)\s*`,
  String.raw`\bPORT\b[^\n;{}]*?\?[^\n;?]*?:\s*`,
  String.raw`[{,]\s*(?:PORT|port)\s*=\s*`,
  String.raw`\b\w*(?:PORT|port)\w*['"]?\s*:[^\n]*?\.default\(\s*`,
  String.raw`\.listen\(\s*`,
  String.raw`\b(?:listen|serve)\(\s*\{[^}]*?\bport:\s*`,
];

/** The numbers that a pattern finds, also by the name of a constant. */
function portsIn({ text }: Module, pattern: string): number[] {
  return [...text.matchAll(new RegExp(`${pattern}['"]?([\\w$]+)`, 'g'))].flatMap(([, found = '']) => {
    const name = found.replaceAll('$', '\\$');
    const declared = new RegExp(String.raw`\b(?:const|let|var)\s+${name}\b[^=\n]*=\s*['"]?(\d+)`);
    const port = Number(/^\d+$/.test(found) ? found : declared.exec(text)?.[1]);
    return port > 0 && port < 65_536 ? [port] : [];
  });
}
