import { join } from 'node:path';
import { isFile, readText } from './files.js';
import { fileFor } from './modules.js';
import { jsonOf, type Project } from './project.js';

/** How a service is started: by a file of its own, or by the command of its framework. */
export type Start =
  | { readonly by: 'file'; readonly file: string }
  /** `-p 8080` on the command line is its port. */
  | { readonly by: 'fastify-cli'; readonly file: string; readonly port: number | undefined }
  | { readonly by: 'next' };

const scriptNames = /^(?:start(?::prod(?:uction)?)?|serve|server|worker)$/;
const devNames = /^(?:start:dev|dev|develop)$/;
const runners = /^(?:node|nodemon|tsx|ts-node(?:-dev)?|tsnd|bun|deno|pm2(?:-runtime)?|swc-node)$/;
/** Flags of the runners whose value is a word of its own. */
const withValue =
  /^-(?:[rPxeCilpa]|-(?:require|import|(?:experimental-)?loader|env-file|project|watch-path|exec|ext|conditions|name|log-level|port|address|options))$/;
const plain = ['main', 'server', 'index', 'app', 'www', 'worker', 'bin/www'];
const folders = ['src', '.', 'server', 'api', 'app', 'lib', 'source'];

/** Every way in which the service may be started, the likeliest first. */
export function startsOf(project: Project): Start[] {
  const starts: Start[] = [];
  const add = (start: Start | undefined): void => {
    if (start !== undefined && !starts.some((one) => JSON.stringify(one) === JSON.stringify(start)))
      starts.push(start);
  };
  // `start` is the first by its name, too.
  const names = Object.keys(project.scripts).toSorted((one, other) => rank(one) - rank(other));
  for (const name of names.filter((one) => scriptNames.test(one) || devNames.test(one)))
    for (const command of commandsIn(project, project.scripts[name] ?? '')) add(startBy(project, command));
  for (const command of dockerCommands(project)) add(startBy(project, command));
  add(fileStart(project, project.main));
  for (const folder of folders) for (const name of plain) add(fileStart(project, join(folder, name)));
  return starts;
}

const rank = (name: string): number => (name === 'start' ? 0 : scriptNames.test(name) ? 1 : 2);

/** The words of each command in a script; `npm run x` is replaced by its script. */
function commandsIn(project: Project, script: string, depth = 0): string[][] {
  return script.split(/&&|\|\||;|\|/).flatMap((command) => {
    const words = (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) =>
      word.replace(/^(["'])(.*)\1$/, '$2'),
    );
    while (
      /^[A-Z_]\w*=/i.test(words[0] ?? '') ||
      ['cross-env', 'npx', 'exec', 'dotenv', '--', 'env'].includes(words[0] ?? '')
    )
      words.shift();
    const [first = '', second = '', third = ''] = words;
    const name = ['run', 'run-script'].includes(second) ? third : second;
    const inner = ['npm', 'pnpm', 'yarn', 'bun'].includes(first) ? project.scripts[name] : undefined;
    return inner !== undefined && depth < 3 ? commandsIn(project, inner, depth + 1) : [words];
  });
}

function dockerCommands({ directory }: Project): string[][] {
  const lines = (readText(join(directory, 'Dockerfile')) ?? '').split('\n').toReversed();
  const command = lines
    .map((line) => /^\s*(?:CMD|ENTRYPOINT)\s+(.*)/i.exec(line)?.[1])
    .find((one) => one !== undefined);
  if (command === undefined) return [];
  const list = jsonOf(command);
  return [Array.isArray(list) ? list.map(String) : command.split(/\s+/)];
}

function startBy(project: Project, [program = '', ...args]: readonly string[]): Start | undefined {
  const name = program.replace(/^.*\//, '');
  if (name === 'next' && (args[0] === 'start' || args[0] === 'dev')) return { by: 'next' };
  if (name === 'nest' && args[0] === 'start') return fileStart(project, 'src/main');
  const words: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (withValue.test(word)) at += 1;
    else if (!word.startsWith('-')) words.push(word);
  }
  if (name === 'fastify') {
    const path = words[0] === 'start' ? words[1] : undefined;
    const file = path === undefined ? undefined : sourceOf(project, path);
    const port = Number(/(?:^| )(?:-p|--port)[= ](\d+)/.exec(args.join(' '))?.[1]) || undefined;
    return file === undefined ? undefined : { by: 'fastify-cli', file, port };
  }
  if (!runners.test(name)) return undefined;
  const path = words.find((word) => !['watch', 'run', 'start', 'serve'].includes(word));
  return fileStart(project, path);
}

function fileStart(project: Project, path: string | undefined): Start | undefined {
  const file = path === undefined ? undefined : sourceOf(project, path);
  return file === undefined ? undefined : { by: 'file', file };
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
